import { type ErrorCode, errorCodes } from '../../src/core/errors.ts'

/** What to do about each error. The type makes sure that a new code cannot come without advice. */
const advice: Readonly<Record<ErrorCode, string>> = {
  'bad-option': 'Correct the option. `docs/configuration.md` lists what each one takes.',
  'unknown-option': 'Correct the name, or remove the option.',
  'bad-filter': 'Correct the filter at that character. `docs/filters.md` lists every field.',
  'bad-config':
    'Correct the file at the places that the message names. `docs/configuration-file.md` lists what each option takes.',
  'bad-topology':
    'Give the channel a `deadLetter`, or let the consumer create what is missing (`provision: "apply"`). The message lists every channel with what is wrong.',
  'bad-message': 'Correct what is sent, or the line that is named. The same again gives the same error.',
  'too-large':
    'Send less, raise the limit of the broker, or let the producer store large bodies and send a reference (`claimCheck`; see [claim check](claim-check.md)).',
  'unknown-channel': 'Start the consumer first, since it creates its channels, or create the channel on the broker.',
  refused: 'Send again. Nothing was written, so this makes no duplicate.',
  unsure: 'Send again with the same `dedupId` where the broker deduplicates; elsewhere expect that the message may come twice.',
  'hold-lost':
    'Nothing: the broker delivers the message again. When it happens often, handlers block the event loop for longer than `hold`, or the machine sleeps.',
  unsupported: 'Use what the broker can do, or another broker. Ask `transport.capabilities` beforehand.',
  closed: 'Do not use it after `close` or `stop`. Create a new one.',
  'not-running': 'Declare channels, handlers and middleware before `start`, and pause or resume only while the consumer runs.',
  unreachable: 'Check that the broker runs and can be reached, or that the folder of the database exists.',
  'access-denied': 'Check the credentials and the rights of the user that the consumer connects as.',
  'store-corrupt': 'Stop every process that uses the file, keep a copy of it and of its `-wal` file, and restore a backup.',
  'store-readonly': 'Give the process the right to write the file and its folder.',
  'store-full': 'Free space on the disk. The consumer goes on by itself; nothing that was acknowledged is lost.',
  'store-newer': 'Upgrade Redrive in this process. The file was not changed.',
  'copy-unfinished': 'Run the same `redrive vault copy` again, which goes on where it ended; or remove the target.',
  'vault-key-missing':
    'Name the key that the message tells the id of under `encryption` in the configuration, as `key` or among `formerKeys`. A key that is lost takes what it sealed with it: see [encryption](vault.md#encryption).',
  'vault-key-retired': 'Name the newer key as `encryption.key`, or a new one, and run `redrive vault rekey` then.',
  'content-broken':
    'Find out who wrote into the database of the vault. Restore the letter from a backup, or erase it (`redrive erase`); the others are not touched by it.',
  'store-failed': 'Look at the cause; it is the error of SQLite itself.',
  'spool-unusable':
    'Create the folder that `onDeadLetterFailure` names on a disk that outlives the process, and give the process the right to write it. It is not created for you: a folder made where a volume should be mounted would be lost with the container.',
  'spool-full': 'Repair the dead-letter channel, so that the spool drains. Raise `maxSize` where the disk has room for more.',
  'body-missing':
    'Give the consumer the store that the producer has (`claimCheck`), or restore the body. The letter keeps the reference, so that a replay succeeds then. See [claim check](claim-check.md).',
  'body-corrupt': 'Restore the body in the store, then replay the letter, which keeps the reference. Find out who changed it.',
  'missing-library': 'Install the library with the command in the message.',
  'not-mentioned': 'Return an outcome for every message: `done()`, `failed(error)` or another one. See [batches](batches.md).',
  'no-transaction': 'Begin a transaction in the handler, claim, write, and commit: then the claim and the work are one.',
  'not-seen':
    'Look at what did happen: the message lists it. Perhaps the handler succeeded, or more time has to pass (`within`).',
  'handler-timeout':
    'Raise `timeout`, or make the handler faster and let it stop when `ctx.signal` aborts. `onTimeout: "retryable"` retries instead of dead-lettering.',
  'invalid-message': 'Look at the letter in the invalid channel, and correct whoever sent it or the schema.',
  'unknown-type': 'Add a handler for the type, name the type of foreign messages with `resolveType`, or choose `unknownType`.',
  'bad-request': 'Correct the request. `/api/v1/openapi.json` says what each address takes.',
  'not-signed-in': 'Sign in again, or send a valid token: `Authorization: Bearer rdr_…`. See [the API](api.md).',
  'login-refused':
    'Do what the page says. An admin finds the reason under `session.begin` in the audit trail; [Signing in with OpenID Connect](login.md) says what each one means.',
  'not-allowed':
    'Ask an admin for the right that the message names. [Roles and rights](security.md) lists what each role may do.',
  'cross-site':
    'Use the dashboard at its own address, and a token for programs. Behind a proxy, `publicUrl` has to be the address that browsers see.',
  'wrong-method': 'Use one of the methods in `Allow`.',
  'wrong-media-type': 'Send `Content-Type: application/json` and no `Content-Encoding`.',
  'changed-meanwhile': 'Read it again, look at what is different, and send the change with the new `ETag`.',
  'if-match-needed': 'Read it first, and send the `ETag` of that answer as `If-Match`.',
  'key-reused': 'Use a new key for every new request; the same key only to repeat one whose answer was lost.',
  'too-many-attempts': 'Wait as long as `Retry-After` says. Nobody is locked out for good.',
  'weak-password':
    'Take a longer one: 8 to 256 characters, any characters, best a few words that nobody else would put together.',
  'audit-failed': 'Free space on the disk of the vault, or make it writable, then try again. Nothing was done.',
  internal: 'Look at the log of the server. Try again with the same `Idempotency-Key`, which cannot do it twice.',
  'not-found': 'Look for it with `redrive letters`, `redrive causes` or `redrive replays`; it may have been purged.',
  conflict: 'Look again at what stands there now, and decide anew.',
  'nothing-to-do': 'Select other letters. Letters that are being replayed, were discarded or have succeeded are not sent again.',
  'breaks-schema':
    'Change the body so that it keeps to the rules that are named; the dashboard marks the places. Where the schema is outdated, mend the file that `schemas` of the source names in `redrive.yaml`, and start the control plane again.',
  'seal-broken': 'Make a new replay and look at its preview. Find out who wrote into the database of the vault.',
}

export function errorPages(): string {
  const codes = Object.keys(errorCodes) as ErrorCode[]
  return codes.map((code) => `## \`${code}\`\n\n${errorCodes[code]}\n\n**What to do:** ${advice[code]}`).join('\n\n')
}

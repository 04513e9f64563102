import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decodeMessage, parseEnvelope } from '../../src/core/envelope.ts'
import { type FilterableLetter, matches } from '../../src/core/filter/matches-filter.ts'
import { parseFilter } from '../../src/core/filter/parse-filter.ts'
import type { Header, Message } from '../../src/core/message.ts'
import { conditionOf } from '../../src/vault/filter-condition.ts'
import type { Letter } from '../../src/vault/operations/letters.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { deadLetter, keep, noon, openVault, sourceIn } from './letters.fixture.ts'
import { runs } from './vaults-under-test.ts'

const tenants = ['acme', 'ac%me', 'a_b', 'x*y', "o'neil", 'ümlaut größe', '[a-z]?']
const errors = ['card declined', 'Card   DECLINED by bank', 'timeout after 30 s', 'pas trouvé: é', '100 % "quoted"']

/** A letter that differs from its neighbours in everything a filter asks for, and lacks some of it. */
function variant(n: number): Message {
  const has = (every: number) => n % every !== 0
  return deadLetter({
    n,
    error: errors[n % errors.length] ?? '',
    type: n % 7 === 0 ? 'TimeoutError' : 'Error',
    channel: n % 2 === 0 ? 'orders' : 'orders.eu',
    failedAt: noon - n * 600_000,
    body: 'x'.repeat(n * 100),
    ...(has(3) && { correlation: `c-${n % 5}` }),
    ...(has(4) && { key: `customer-${n % 3}` }),
    ...(has(5) && { version: `1.${n % 4}.0`, service: 'billing' }),
    ...(has(6) && { attempts: n % 6 }),
    ...(has(2) && { headers: [['tenant', tenants[n % tenants.length] ?? ''] satisfies Header, ['x-n', n] satisfies Header] }),
  })
}

async function filled(vault: Vault): Promise<void> {
  const [orders, refunds] = [await sourceIn(vault), await sourceIn(vault, 'dlq.refunds', 'bank')]
  for (let n = 0; n < 60; n++) {
    const [id = 0] = await keep(vault, n % 3 === 0 ? refunds : orders, [variant(n)], noon - n * 1000)
    if (n % 8 === 0) await vault.write('discardLetters', { letters: [id], now: noon })
    if (n % 9 === 0) await vault.write('addNote', { about: 'letter', subject: id, now: noon, actor: 'ana', text: 'seen' })
  }
  const [cause] = await vault.read('listCauses', { limit: 1 })
  if (cause) await vault.write('ownCause', { id: cause.id, owner: 'ana' })
}

async function everything(vault: Vault): Promise<readonly FilterableLetter[]> {
  const letters = await vault.read('findLetters', { condition: { where: '1 = 1', parameters: [] }, limit: 1000 })
  return Promise.all(letters.map((letter) => plain(vault, letter)))
}

/** The same letter as the language itself sees it. */
async function plain(vault: Vault, letter: Letter): Promise<FilterableLetter> {
  const [cause, sources, notes, content] = await Promise.all([
    vault.read('showCause', { id: letter.cause }),
    vault.read('listSources', undefined),
    vault.read('listNotes', { about: 'letter', subject: letter.id }),
    vault.read('readContent', { id: letter.id }),
  ])
  const source = sources.find(({ id }) => id === letter.source)
  const message = decodeMessage(parseEnvelope(content.envelope), content.body)
  const { reason, errorType, errorMessage } = letter
  const optional = {
    reason,
    error: errorType,
    type: letter.type,
    key: letter.key,
    correlation: letter.correlationId,
    message: letter.messageId,
    letter: letter.letter,
    service: letter.service,
    version: letter.version,
    owner: cause.owner,
    attempts: letter.attempts,
  }
  return {
    id: String(letter.id),
    state: letter.state,
    source: source?.channel ?? '',
    connection: source?.connection ?? '',
    channel: letter.channel,
    dialect: letter.dialect,
    cause: cause.fingerprint,
    under: String(letter.cause),
    replays: [],
    size: letter.bytes,
    failed: letter.failedAt,
    received: letter.receivedAt,
    headers: message.headers,
    hasNote: notes.length > 0,
    texts: [reason, errorType, errorMessage].filter((text) => text !== null),
    ...(Object.fromEntries(Object.entries(optional).filter(([, value]) => value !== null)) as object),
  }
}

const quoted = (value: string) => `"${value.replace(/["\\]/g, '\\$&')}"`
const terms = [
  'state:open',
  'state:discarded,unknown',
  'source:dlq.*',
  'source:dlq.refunds',
  'connection:bank',
  'channel:orders',
  'channel:*.eu',
  'cause:v1',
  'under:1',
  'under:2,3',
  'error:Timeout*',
  'error:*Error',
  'reason:NonRetryableError',
  'dialect:redrive',
  'type:order.*',
  'key:customer-1',
  'key:customer-1,customer-2',
  'correlation:c-1',
  'message:message-7',
  'letter:letter-9',
  'service:billing',
  'version:1.2.*',
  'owner:ana',
  'owner:*',
  'replay:3',
  'attempts>=3',
  'attempts:2',
  'size>1KiB',
  'size<=300',
  'age>1h',
  'age<=2h30m',
  'failed<2026-11-16T10:00Z',
  'received>=2026-11-16T11:59:30Z',
  'has:key',
  'has:correlation',
  'has:note',
  'declined',
  '"card declined"',
  'timeou*',
  '"by bank"',
  'trouve',
  'UMLAUT',
  'header.x-n:3',
  'header.x-n:1*',
  'header.missing:*',
  'header.redrive-letter:letter-1*',
  ...tenants.map((tenant) => `header.tenant:${quoted(tenant)}`),
  'header.tenant:a*',
]

const filterText: fc.Arbitrary<string> = fc.letrec<{ filter: string }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    fc.constantFrom(...terms),
    fc.constantFrom(...terms).map((term) => `-${term}`),
    fc.array(tie('filter'), { minLength: 2, maxLength: 3 }).map((parts) => parts.join(' ')),
    fc.array(tie('filter'), { minLength: 2, maxLength: 3 }).map((parts) => `(${parts.join(' OR ')})`),
    tie('filter').map((part) => `-(${part})`),
  ),
})).filter

test('the database finds what the language says, whatever is asked', async () => {
  const vault = openVault()
  await filled(vault)
  const letters = await everything(vault)
  const found = async (filter: string) =>
    (await vault.read('findLetters', { condition: conditionOf(filter, noon), limit: 1000 })).map(({ id }) => String(id))
  const expected = (filter: string) => {
    const parsed = parseFilter(filter)
    return letters.filter((letter) => matches(parsed, letter, noon)).map(({ id }) => id)
  }
  for (const term of terms) expect(await found(term), term).toEqual(expected(term))
  await fc.assert(
    fc.asyncProperty(filterText, async (filter) => {
      expect(await found(filter)).toEqual(expected(filter))
    }),
    runs(300, 150),
  )
})

test('the terms of this test tell letters apart: each but those that name nothing finds some and not all', async () => {
  const vault = openVault()
  await filled(vault)
  const letters = await everything(vault)
  const all = ['cause:v1', 'reason:NonRetryableError', 'dialect:redrive', 'type:order.*', 'source:dlq.*', 'error:*Error']
  // The third is a word of a header, and no header is looked into without its name.
  const none = ['replay:3', 'header.missing:*', 'UMLAUT']
  for (const term of terms) {
    const hits = letters.filter((letter) => matches(parseFilter(term), letter, noon)).length
    if (none.includes(term)) expect(hits, term).toBe(0)
    else if (all.includes(term)) expect(hits, term).toBe(letters.length)
    else expect(hits > 0 && hits < letters.length, `${term} finds ${hits}`).toBe(true)
  }
})

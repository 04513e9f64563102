import { parseArgs } from 'node:util'
import { RedriveError } from '../../src/redrive.ts'
import { transportNames } from '../../src/transports/registry.ts'

const roles = ['all', 'api', 'workers', 'monitor'] as const
export type Role = (typeof roles)[number]
const deadLetterings = ['annotated', 'native'] as const
export type DeadLettering = (typeof deadLetterings)[number]

export interface Options {
  readonly transport: string
  readonly file: string | undefined
  readonly url: string | undefined
  readonly count: number
  readonly seed: number
  readonly once: boolean
  readonly role: Role
  readonly deadLettering: DeadLettering
  /** Where alerts are posted, beside the screen. */
  readonly webhook: string | undefined
  readonly adminUrl: string | undefined
  /** Whom the workers tell what became of payments that were replayed. */
  readonly controlPlane: string | undefined
  /** The acquirer answers and all accounts are open, also for payments that died before. */
  readonly mended: boolean
}

export const help: string = `Payments on Redrive: transaction.created → transaction worker → settlement.requested → settlement worker,
with failures in dlq.settlement.requested, where a monitor counts them, alerts and leaves them.

  npm run payments -- [options]

  --transport NAME  ${transportNames.join(' | ')} (default: embedded)
  --file PATH       the database of the embedded transport (default: a temporary one, removed at the end)
  --url URL         where the broker is, for transports that have one (amqp://user:password@host/vhost,
                    postgres://user:password@host/database, redis://user:password@host, host:port of Kafka,
                    a connection string of Service Bus,
                    or http://host:port of a server that is no Amazon but speaks SQS)
  --admin-url URL   where the administration API of Service Bus is (default: that of the connection string)
  --count N         how many payments to create (default: no end; with --once 50)
  --seed N          which payments fail, and how (default: 1)
  --mended          the acquirer answers and every account is open: what died without this succeeds when it is replayed
  --once            stop when every payment is settled or dead, and print a summary
  --role NAME       ${roles.join(' | ')} (default: all): run one part only; all parts share --file or --url, and each can
                    run more than once
  --dead-lettering  ${deadLetterings.join(' | ')} (default: annotated): who writes the letter, the worker or the broker
  --webhook URL     where the monitor posts its alerts, with the API key in the variable WEBHOOK_API_KEY
  --control-plane URL   a control plane that the workers report to, with a consumer's token in the variable REDRIVE_TOKEN
  --help            this text

Ctrl-C stops: what is running may finish, the rest stays in its channel.`

/** Gives `undefined` when help was asked for. Throws a `RedriveError` for what is not allowed. */
export function readOptions(args: readonly string[]): Options | undefined {
  const given = parse(args)
  if (given.help) return undefined
  const role = oneOf(roles, 'role', given.role ?? 'all')
  const once = given.once ?? false
  const options: Options = {
    transport: oneOf(transportNames, 'transport', given.transport ?? 'embedded'),
    file: given.file,
    url: given.url,
    adminUrl: given['admin-url'],
    count: given.count === undefined ? (once ? 50 : Number.POSITIVE_INFINITY) : wholeNumber('count', given.count),
    seed: given.seed === undefined ? 1 : wholeNumber('seed', given.seed),
    mended: given.mended ?? false,
    once,
    role,
    deadLettering: oneOf(deadLetterings, 'dead-lettering', given['dead-lettering'] ?? 'annotated'),
    webhook: given.webhook,
    controlPlane: given['control-plane'],
  }
  refuseContradictions(options)
  return options
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        transport: { type: 'string' },
        file: { type: 'string' },
        url: { type: 'string' },
        'admin-url': { type: 'string' },
        count: { type: 'string' },
        seed: { type: 'string' },
        mended: { type: 'boolean' },
        once: { type: 'boolean' },
        role: { type: 'string' },
        'dead-lettering': { type: 'string' },
        webhook: { type: 'string' },
        'control-plane': { type: 'string' },
        help: { type: 'boolean' },
      },
    }).values
  } catch (cause) {
    throw new RedriveError('unknown-option', cause instanceof Error ? cause.message : String(cause), { cause })
  }
}

function refuseContradictions({ role, once, transport, file }: Options): void {
  if (role === 'all') return
  if (once) throw bad('--once needs the API and the workers in one process: leave out --role.')
  if (transport === 'memory') throw bad('--transport memory lives inside one process: leave out --role, or use embedded.')
  if (transport === 'embedded' && file === undefined) throw bad('--role needs --file: the parts meet in that file.')
}

function oneOf<T extends string>(allowed: readonly T[], option: string, value: string): T {
  const found = allowed.find((one) => one === value)
  if (found !== undefined) return found
  throw bad(`--${option} is ${JSON.stringify(value)}. Allowed: ${allowed.join(', ')}.`)
}

function wholeNumber(option: string, value: string): number {
  if (/^\d{1,9}$/.test(value) && Number(value) > 0) return Number(value)
  throw bad(`--${option} is ${JSON.stringify(value)}. Allowed: a whole number from 1.`)
}

function bad(message: string): RedriveError {
  return new RedriveError('bad-option', message)
}

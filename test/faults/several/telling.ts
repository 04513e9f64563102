import type { Stub, StubRequest } from '../../alerts/stub.ts'
import { deadLetter } from '../../control/letters.fixture.ts'
import { grave, type House, patience } from '../../several/instances.ts'
import type { Chance } from '../../sim/seeded-random.ts'
import { until } from '../../until.ts'
import { crewOf } from './strikes.ts'
import type { SeveralVerdict } from './verdict.ts'

/**
 * Letters of causes that nobody has seen; each time that the receiver hears of something, or before it does, whoever tells is struck. A notification that
 * was told and not answered is told again under the same id, so that its receiver knows: what counts is how many ids there are for one thing.
 */
export async function telling(house: House, chance: Chance, hook: Stub, strikes: number): Promise<SeveralVerdict> {
  const crew = await crewOf(house, chance)
  const causes = strikes + 1
  for (let cause = 0; cause < causes; cause++) {
    await comeOf(house, cause)
    if (cause === strikes) continue
    if (chance.happens(0.5)) await until('something is told', () => isToldOf(hook, cause), patience)
    await crew.strike()
  }
  await crew.allAwake()
  await until('all are told', () => untold(hook, causes) === 0, patience).catch(() => {})
  const first = hook.requests.filter(({ json }) => json.reason === 'first')
  const ids = new Map<string, Set<string>>()
  for (const request of first) ids.set(groupOf(request), (ids.get(groupOf(request)) ?? new Set()).add(request.json.id))
  return {
    all: causes,
    lost: untold(hook, causes),
    twice: [...ids.values()].filter(({ size }) => size > 1).length,
    struck: crew.struck,
    note: `${hook.requests.length} requests, ${ids.size} groups told of for the first time`,
  }
}

/** Nothing of it is over before the end: for as long it has one episode. */
const groupOf = ({ json }: StubRequest): string => json.group.dedupKey

/** Words, since numbers are no part of a cause. */
const words = ['Billing', 'Stock', 'Mail', 'Search', 'Tax', 'Audit', 'Ledger', 'Quota']

function errorClassOf(cause: number): string {
  return `${words[Math.floor(cause / words.length) % words.length]}${words[cause % words.length]}Error`
}

async function comeOf({ transport }: House, cause: number): Promise<void> {
  for (let n = 0; n < 5; n++) {
    await transport.send({ name: grave }, deadLetter({ n: cause * 5 + n, error: 'nobody answers', type: errorClassOf(cause) }))
  }
}

function isToldOf({ requests }: Stub, cause: number): boolean {
  return requests.some(({ json }) => json.alerts.some((alert: Alert) => alert.rule === 'cause.new' && isAbout(alert, cause)))
}

interface Alert {
  readonly rule: string
  readonly topErrors?: readonly { readonly errorClass: string }[]
}

/** What came also says that there are letters at all, and may name the cause of the first of them. */
function isAbout({ topErrors = [] }: Alert, cause: number): boolean {
  return topErrors.some(({ errorClass }) => errorClass === errorClassOf(cause))
}

function untold(hook: Stub, causes: number): number {
  return Array.from({ length: causes }, (_, cause) => isToldOf(hook, cause)).filter((isTold) => !isTold).length
}

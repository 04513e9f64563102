import type { Values } from '../../core/alerts/sample.ts'
import type { Clock } from '../../core/ports.ts'
import type { Measure } from '../../transports/seam.ts'
import { unresolvedStates } from '../../vault/letter-states.ts'
import { isSameSource, type KnownSource } from '../../vault/operations/sources.ts'
import type { Vault } from '../../vault/vault.ts'
import { createOldestOpen } from '../oldest-open.ts'
import { aloneSince, isCopiedSource, isTakenIn, readingProblem } from '../reading.ts'
import { nameOf } from '../source.ts'
import { type ConfiguredSource, lettersOnBroker } from '../sources.ts'
import { type Flow, flowOn } from './flow-of-source.ts'
import type { LetterNews } from './letter-news.ts'
import type { ProberOptions } from './prober.ts'
import { sharedRead } from './shared-read.ts'
import { createUnread } from './unread.ts'

/** Ages are compared with days. */
const oldestEvery = 30_000

/** What the vault adds to what a broker counts. The broker is asked first: a letter on its way is then counted twice for a moment, and never not at all. */
export function createSourceFacts(vault: Vault, clock: Clock, news: LetterNews): ProberOptions['inVault'] {
  const readSources = sharedRead(() => vault.read('listSources', undefined))
  const oldestInVault = createOldestOpen(vault, clock, oldestEvery)
  const flows = new Map<ConfiguredSource, Flow>()
  const unreadNow = createUnread(clock)

  async function known(source: ConfiguredSource): Promise<KnownSource> {
    const name = nameOf(source)
    const isIt = (each: KnownSource): boolean => isSameSource(each, name)
    const found = (await readSources()).find(isIt)
    if (found) return found
    await vault.write('registerSource', name)
    const fresh = (await readSources()).find(isIt)
    if (!fresh) throw new Error(`The source ${name.channel} could not be written.`)
    return fresh
  }

  return async (source, measured, isBack) => {
    const found = await known(source)
    await news.refresh()
    const letters = lettersOf(found, source, measured)
    if (letters === 0) news.emptied(source)
    const flow = flowOn(flows.get(source), letters)
    flows.set(source, flow)
    const times = [measured.oldestAt, await oldestInVault(found)].filter((time) => time !== undefined)
    const values: Values = {
      ...flow,
      difference: differenceIn(found),
      ...lossOf(found, source, measured, clock.now()),
      oldestAge: times.length === 0 || letters === 0 ? 0 : Math.max(0, clock.now() - Math.min(...times)),
    }
    const unread = unreadNow(source, found, isBack)
    return { values, evidence: news.evidenceOf(source), ...(unread !== undefined && { unread }) }
  }
}

function lettersOf(known: KnownSource, source: ConfiguredSource, measured: Measure): number {
  const inVault = [...unresolvedStates].reduce((sum, state) => sum + (known.letters[state] ?? 0), 0)
  return isCopiedSource(source, known) ? inVault : inVault + lettersOnBroker(source, measured)
}

/** How near letters are to being dropped by the broker. While somebody tries anew to read them, nobody knows whether they are. */
function lossOf(known: KnownSource, source: ConfiguredSource, measured: Measure, now: number): Values {
  const { keepsFor } = measured
  if (keepsFor === undefined || (isTakenIn(source, known) && readingProblem(source, known) === '')) return {}
  const age = Math.max(0, now - (aloneSince(source, known, measured, now) ?? now))
  return { untilLoss: Math.max(0, keepsFor - age), retentionUsed: keepsFor === 0 ? 0 : age / keepsFor }
}

/** Letters that came, less those that were known, are those that were kept, and these are somewhere. */
function differenceIn({ deliveries, deduplicated, inserted, letters }: KnownSource): number {
  const somewhere = Object.values(letters).reduce((sum, count) => sum + count, 0)
  return Math.abs(deliveries - deduplicated - inserted) + Math.abs(inserted - somewhere)
}

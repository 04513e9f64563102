import { hasCode } from '../core/errors.ts'
import type { Cancel, Clock } from '../core/ports.ts'
import { and } from '../vault/condition.ts'
import { conditionOf } from '../vault/filter-condition.ts'
import type { Letter } from '../vault/operations/letters.ts'
import type { Recovery } from '../vault/operations/recoveries.ts'
import type { Vault } from '../vault/vault.ts'
import type { Changes } from './changes.ts'
import type { Replays } from './control-plane.ts'
import { newestLetter } from './newest-letter.ts'
import { createRecoveries } from './recoveries.ts'
import type { Wishes } from './replay/plan-replay.ts'
import { notingRules } from './rule-notes.ts'

/** What is done by itself with letters that a filter finds, because a person wrote it down beforehand. */
export interface TriageRule {
  readonly name: string
  /** In the words of docs/filters.md. */
  readonly filter: string
  /** Who looks after the causes of these letters, where nobody does yet. */
  readonly assign?: string
  /** Out of sight, as a person would put them. */
  readonly discard?: boolean
  /** Sent back once the channel works again that they died on; each once, and what comes back then is for a person. */
  readonly replayOnRecovery?: Wishes
}

/** Rules work one after another, behind what keeps letters: one that is slow holds up no source. */
export interface Triage {
  /** Letters that have just been kept. */
  arrived(letters: readonly number[]): void
  /** What nobody has touched: at first everything that came while a control plane died, or before a rule was written, and then what came since. */
  catchUp(): void
  /** The breaker of a channel has closed, by the word of a consumer. */
  recovered(recovery: Recovery): void
  /** Channels that recovered before a control plane died, and whose letters it had not sent back yet. */
  resume(): void
  /** Nothing that failed is tried again; resolves when everything else is done that was to be done. */
  close(): Promise<void>
}

export interface TriageOptions {
  readonly rules: readonly TriageRule[]
  /** A replay of more letters than this is made, and a person starts it. */
  readonly mostAlone: number
  readonly vault: Vault
  readonly clock: Clock
  readonly replays: Pick<Replays, 'seal' | 'start'>
  readonly changes: Changes
}

const page = 500
/** The database was away: what was missed is asked about again. Milliseconds. */
const tryAgainAfter = 30_000
/** A letter that somebody restored is theirs: no rule takes it away a second time. */
const untouched = "letters.state = 'open' AND letters.state_since = letters.received_at"

/** Rules are asked in their order, and what the first one discards the second does not see. Whatever is done stands in the audit trail. */
export function createTriage({ rules, mostAlone, vault, clock, replays, changes }: TriageOptions): Triage {
  const { tell, problem } = changes
  const noted = notingRules(vault, clock)
  const recoveries = createRecoveries({ rules, mostAlone, vault, clock, replays, noted, problem })
  let working: Promise<void> = Promise.resolve()
  /** The newest letter when rules were last asked about all. */
  let caughtUpTo = 0
  let isToCatchUp = false
  let again: Cancel | undefined
  let isClosed = false

  async function apply(rule: TriageRule, found: readonly Letter[]): Promise<void> {
    if (found.length === 0) return
    if (rule.assign !== undefined) await assign(rule, rule.assign, [...new Set(found.map(({ cause }) => cause))])
    if (rule.discard) await discard(rule, found)
  }

  async function assign(rule: TriageRule, owner: string, causes: readonly number[]): Promise<void> {
    for (const id of causes) {
      if ((await vault.read('showCause', { id })).owner !== null) continue
      await noted(rule, 'causes.own', `/causes/${id}/owner`, { owner }, () => vault.write('ownCause', { id, owner }))
      tell({ kind: 'cause', cause: id })
    }
  }

  async function discard(rule: TriageRule, found: readonly Letter[]): Promise<void> {
    const letters = found.map(({ id }) => id)
    const work = () => vault.write('discardLetters', { letters, now: clock.now() })
    await noted(rule, 'letters.discard', '/letters/discard', { letters: letters.length, from: letters.at(-1) }, work)
    tell({ kind: 'letters', letters: letters.length })
  }

  /** What of these a rule is about, of those that nobody has touched. */
  async function ask(rule: TriageRule, { where, ids }: Letters): Promise<void> {
    if (rule.assign === undefined && !rule.discard) return
    const condition = and(conditionOf(rule.filter, clock.now()), `${untouched} AND ${where}`, ids)
    for (let before: number | undefined; ; ) {
      const found = await vault.read('findLetters', { condition, limit: page, ...(before !== undefined && { before }) })
      await apply(rule, found)
      before = found.at(-1)?.id
      if (found.length < page) return
    }
  }

  async function askAboutNew(): Promise<void> {
    isToCatchUp = false
    const newest = await newestLetter(vault)
    const since = { where: 'letters.id > ?', ids: [caughtUpTo] }
    if (newest > caughtUpTo && (await eachRule((rule) => ask(rule, since)))) caughtUpTo = newest
  }

  /** One rule that fails is no reason to leave out the others; later, all are asked about what they may have missed. Tells whether none failed. */
  async function eachRule(work: (rule: TriageRule) => Promise<void>): Promise<boolean> {
    let failures = 0
    for (const rule of rules)
      await work(rule).catch((error) => {
        // What this vault cannot be asked, it cannot be asked later.
        if (!hasCode(error, 'unsupported')) failures++
        problem(`rule ${rule.name}`)(error)
      })
    if (failures > 0) tryAgain()
    return failures === 0
  }

  function tryAgain(): void {
    if (!isClosed) again ??= clock.after(tryAgainAfter, catchUpAgain, { background: true })
  }

  function laterAgain(error: unknown): never {
    tryAgain()
    throw error
  }

  function catchUpAgain(): void {
    again = undefined
    catchUp()
  }

  function next(work: () => Promise<unknown>): void {
    working = working.then(work).then(() => {}, problem('triage'))
  }

  function unlessIdle(work: () => Promise<unknown>): void {
    if (rules.length > 0) next(work)
  }

  function catchUp(): void {
    // One that waits for its turn finds these, too.
    if (!isToCatchUp) unlessIdle(() => askAboutNew().catch(laterAgain))
    isToCatchUp = rules.length > 0
  }

  return {
    arrived: (letters) =>
      unlessIdle(() =>
        eachRule(async (rule) => {
          for (let start = 0; start < letters.length; start += page) await ask(rule, those(letters.slice(start, start + page)))
        }),
      ),
    catchUp,
    recovered: (recovery) => next(() => recoveries.sendBack(recovery)),
    resume: () => next(recoveries.resume),
    close() {
      isClosed = true
      again?.()
      return working
    },
  }
}

/** Some letters, as a condition. */
interface Letters {
  readonly where: string
  readonly ids: readonly number[]
}

function those(ids: readonly number[]): Letters {
  return { where: `letters.id IN (${ids.map(() => '?').join(', ')})`, ids }
}

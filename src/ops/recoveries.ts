import type { Clock } from '../core/ports.ts'
import { within } from '../core/scopes.ts'
import { and } from '../vault/condition.ts'
import { conditionOf } from '../vault/filter-condition.ts'
import type { Recovery } from '../vault/operations/recoveries.ts'
import { type Replay, replayStates } from '../vault/replay-rows.ts'
import type { Vault } from '../vault/vault.ts'
import type { Replays } from './control-plane.ts'
import type { Wishes } from './replay/plan-replay.ts'
import { actorOf, type Noted } from './rule-notes.ts'
import { isDeadLetterOf } from './source.ts'

/** Sends letters back once the channel works again that they died on. */
export interface Recoveries {
  sendBack(recovery: Recovery): Promise<void>
  /** The same for channels that recovered before a control plane died, as far as it had not done it. */
  resume(): Promise<void>
}

export interface RecoveriesOptions {
  readonly rules: readonly { readonly name: string; readonly filter: string; readonly replayOnRecovery?: Wishes }[]
  /** A replay of more letters than this is made, and a person starts it. */
  readonly mostAlone: number
  readonly vault: Vault
  readonly clock: Clock
  readonly replays: Pick<Replays, 'seal' | 'start'>
  readonly noted: Noted
  readonly problem: (source: string) => (error: unknown) => void
}

type Rule = RecoveriesOptions['rules'][number]

const page = 500
/** The newest ones; the rest goes when the channel recovers once more, or when a person says so. */
const mostSentBack = 10_000
/** A letter that was sent back before and died again is not sent by itself a second time. */
const diedThere =
  "letters.state = 'open' AND letters.generation = 0 AND letters.channel = ? AND (letters.origin_group IS NULL OR letters.origin_group = ?)"
/** Of a replay that a rule has made, whatever became of it since. One that is still being made when another control plane looks is none. */
const madeStates = replayStates.filter((state) => state !== 'sealing')

export function createRecoveries({ rules, mostAlone, vault, clock, replays, noted, problem }: RecoveriesOptions): Recoveries {
  async function make(rule: Rule, wishes: Wishes, recovery: Recovery): Promise<void> {
    const letters = await lettersOf(rule, recovery)
    if (letters.length === 0) return
    const detail = { letters: letters.length, channel: recovery.channel.name }
    const { replay } = await noted(rule, 'replays.seal', '/replays', detail, () =>
      replays.seal({ letters }, { ...wishes, name: nameFor(recovery), actor: actorOf(rule) }),
    )
    await start(rule, replay)
  }

  async function start(rule: Rule, { id, letters }: Replay): Promise<void> {
    if (letters > mostAlone) return
    await noted(rule, 'replays.start', `/replays/${id}/start`, {}, () => replays.start(id, { actor: actorOf(rule) }))
  }

  /** Where the one that died had made the replay already, another one would be made of the same letters. */
  async function makeUnlessMade(rule: Rule, wishes: Wishes, recovery: Recovery): Promise<void> {
    const known = await vault.read('listReplays', { states: madeStates, actor: actorOf(rule), limit: page })
    const made = known.find((replay) => replay.name === nameFor(recovery) && replay.madeAt >= recovery.at && !isGivenUp(replay))
    if (!made) await make(rule, wishes, recovery)
    else if (made.state === 'sealed') await start(rule, made)
  }

  async function lettersOf(rule: Rule, recovery: Recovery): Promise<readonly number[]> {
    const { name, group } = recovery.channel
    const sources = await sourcesOf(recovery)
    const condition = and(conditionOf(rule.filter, clock.now()), diedThere, [name, group ?? ''])
    const letters: number[] = []
    for (let more = true; more && letters.length < mostSentBack; ) {
      const before = letters.at(-1)
      const query = { condition, limit: page, sources, ...(before !== undefined && { before }) }
      const found = await vault.read('findLetters', query)
      letters.push(...found.map(({ id }) => id))
      more = found.length === page
    }
    return letters
  }

  /** Those whose dead-letter channel the consumer names, as far as it was given them. */
  async function sourcesOf({ channel, scopes }: Recovery): Promise<readonly number[]> {
    const isGiven = within(scopes)
    const isTheirs = (connection: string): boolean => isGiven({ connection, channel: channel.name })
    const known = await vault.read('listSources', undefined)
    return known.filter((source) => isDeadLetterOf(channel.deadLetter, source) && isTheirs(source.connection)).map(({ id }) => id)
  }

  /** It is forgotten when every rule has had its turn: whoever dies before that is followed by one that begins again. */
  async function dealWith(recovery: Recovery, work: typeof make): Promise<void> {
    let isDone = true
    for (const rule of rules) {
      if (!rule.replayOnRecovery) continue
      await work(rule, rule.replayOnRecovery, recovery).catch((error) => {
        // One rule that fails is no reason to leave out the others.
        problem(`rule ${rule.name}`)(error)
        isDone = false
      })
    }
    if (isDone) await vault.write('forgetRecovery', recovery)
  }

  /** A channel that is down again meanwhile will say when it works. */
  async function isDownAgain({ channel: { name, group, deadLetter } }: Recovery): Promise<boolean> {
    const { consumers } = await vault.read('listConsumers', undefined)
    const channels = consumers.flatMap((consumer) => consumer.channels)
    return channels.some(
      (each) => each.name === name && each.group === group && each.deadLetter === deadLetter && each.state === 'outage',
    )
  }

  return {
    sendBack: (recovery) => dealWith(recovery, make),
    async resume() {
      for (const recovery of await vault.read('pendingRecoveries', undefined)) {
        if (await isDownAgain(recovery)) await vault.write('forgetRecovery', recovery)
        else await dealWith(recovery, makeUnlessMade)
      }
    },
  }
}

/** By us, which says why: what a person has cancelled is not made again. */
function isGivenUp({ state, stoppedBecause }: Replay): boolean {
  return (state === 'cancelling' || state === 'cancelled') && stoppedBecause !== null
}

function nameFor({ channel }: Recovery): string {
  return `${channel.name} works again`
}

import { Buffer } from 'node:buffer'
import { RedriveError } from '../../core/errors.ts'
import { batched } from '../../platform/batched.ts'
import type { Claim, Claimed, Content, Hold, SettleJobOf } from '../leases/protocol.ts'
import { createClaims } from './claims.ts'
import type { Answer, Argument, Connection } from './connection.ts'
import { createEntries, type Entry } from './entries.ts'
import { keyList, keysOf, notificationChannel } from './keys.ts'
import type { Settings } from './options.ts'
import * as scripts from './scripts.ts'
import { answeredError } from './server-errors.ts'

export interface Sending {
  readonly to: string
  readonly content: Content
  readonly delay: number
}

export interface Moving {
  readonly job: SettleJobOf<'move'>
  /** The message's own, for an entry whose stream has lost it meanwhile. */
  readonly body: Uint8Array | null
}

/** The verbs that change something, each coalesced with others of its kind. */
export interface Store {
  /** Gives the id of the entry. */
  send(sending: Sending): Promise<string>
  complete(hold: Hold): Promise<void>
  giveBack(job: SettleJobOf<'retry' | 'release'>): Promise<void>
  move(moving: Moving): Promise<void>
  extend(extension: { readonly hold: Hold; readonly ms: number }): Promise<void>
  claim(channel: string, consumer: string, request: Claim): Promise<Claimed>
  /** Which of these are no longer ours. */
  lost(holds: readonly Hold[]): Promise<readonly Hold[]>
  /** Resolves when everything that was asked for has an outcome. */
  idle(): Promise<void>
}

/** A hundred years. */
const longest = 3e12

interface Standing {
  readonly hold: Hold
  readonly entry: Entry
}

const nobody: ReadonlySet<Standing> = new Set()

/** `ready`: something may have become claimable in that channel. */
export function createStore(connection: Connection, settings: Settings, ready: (channel: string) => void): Store {
  const { clock, prefix, group } = settings
  const entries = createEntries()
  const claims = createClaims(connection, settings, entries)
  const told = notificationChannel(prefix)
  const known = new Map<string, readonly string[]>()

  function fourOf(channel: string): readonly string[] {
    const keys = known.get(channel) ?? keyList(keysOf(prefix, channel))
    known.set(channel, keys)
    return keys
  }

  const twoOf = (channel: string): readonly string[] => fourOf(channel).slice(0, 2)

  function tellReady(channels: Iterable<string>): void {
    for (const channel of new Set(channels)) ready(channel)
  }

  function standing(hold: Hold): Standing {
    const entry = entries.entryOf(hold.id)
    if (entry === undefined) throw holdLost(hold.id)
    return { hold, entry }
  }

  /** Settled or lost, it is none of ours any more. */
  function settled({ hold, entry }: Standing, isDone: boolean): RedriveError | undefined {
    entries.forget(hold.id, entry)
    return isDone ? undefined : holdLost(entry.id)
  }

  const sends = batched<Sending, string>({
    clock,
    atOnce: 1,
    weigh: ({ content }) => content.body?.byteLength ?? 0,
    async run(sendings) {
      const answers = await connection.run(
        scripts.send,
        sendings.flatMap(({ to }) => twoOf(to)),
        [told, ...sendings.flatMap(({ content, delay }) => [later(delay), content.envelope, ...bodyArguments(content.body)])],
      )
      tellReady(sendings.map(({ to }) => to))
      return textsIn(answers).map((text, index) => outcomeOf(text, sendings[index]?.to ?? ''))
    },
  })

  const completes = batched<Standing, undefined>({
    clock,
    async run(items) {
      const lost = await unheld(scripts.complete, items)
      return items.map((item) => settled(item, !lost.has(item)))
    },
  })

  /** Which of these are not held any more. Those of one channel, holder and fence are told together: then one command deletes many. */
  async function unheld(script: typeof scripts.complete, items: readonly Standing[]): Promise<ReadonlySet<Standing>> {
    const groups = alike(items)
    const values: Argument[] = [group]
    for (const those of groups) {
      values.push(those[0].entry.holder, those[0].hold.fence, those.length)
      for (const { entry } of those) values.push(entry.id)
    }
    const keys = groups.flatMap(([{ entry }]) => fourOf(entry.channel))
    const places = (await connection.run(script, keys, values)) as readonly number[]
    if (places.length === 0) return nobody
    const ordered = groups.flat()
    return new Set(places.flatMap((place) => ordered[place - 1] ?? []))
  }

  const returns = batched<Standing & { readonly job: SettleJobOf<'retry' | 'release'> }, undefined>({
    clock,
    async run(items) {
      const answer = await connection.run(
        scripts.giveBack,
        items.flatMap(({ entry }) => fourOf(entry.channel)),
        [group, told, ...items.flatMap(({ job, entry }) => returnArguments(entry, job))],
      )
      for (const { entry } of items) claims.lookAgain(entry.channel)
      tellReady(items.map(({ entry }) => entry.channel))
      return items.map((item, index) => settled(item, (answer as readonly Answer[])[index] === 1))
    },
  })

  const extensions = batched<Standing & { readonly ms: number }, undefined>({
    clock,
    async run(items) {
      const answer = await connection.run(
        scripts.extend,
        items.flatMap(({ entry }) => fourOf(entry.channel)),
        [group, ...items.flatMap(({ entry, hold, ms }) => [entry.id, entry.holder, hold.fence, later(ms)])],
      )
      return items.map((item, index) => ((answer as readonly Answer[])[index] === 1 ? undefined : settled(item, false)))
    },
  })

  type Departing = Standing & Moving & { readonly bringsBody: boolean }

  const moves = batched<Departing, undefined | 'bodiless'>({
    clock,
    weigh: ({ job }) => job.content.body?.byteLength ?? 0,
    async run(items) {
      const ways = [...Map.groupBy(items, ({ entry, job }) => `${entry.channel}\n${job.to}`).values()]
      const values: Argument[] = [group, told]
      for (const those of ways) {
        values.push(those.length)
        for (const item of those) values.push(...moveArguments(item, item.bringsBody))
      }
      const keys = ways.flatMap(([first]) => (first ? [...fourOf(first.entry.channel), ...twoOf(first.job.to)] : []))
      const texts = textsIn(await connection.run(scripts.move, keys, values))
      tellReady(items.map(({ job }) => job.to))
      const outcomes = new Map(ways.flat().map((item, index) => [item, movedOutcome(texts[index] ?? '', item)]))
      return items.map((item) => outcomes.get(item))
    },
  })

  function movedOutcome(text: string, item: Departing): undefined | 'bodiless' | RedriveError {
    if (text === 'bodiless') return 'bodiless'
    if (text === 'unknown') return unknownChannel(item.job.to)
    if (text.startsWith('-')) return answeredError(text.slice(1))
    return settled(item, text === 'moved')
  }

  async function move(moving: Moving): Promise<void> {
    const item = { ...standing(moving.job.hold), ...moving }
    const outcome = await moves.call({ ...item, bringsBody: !item.entry.hasOwnBody })
    if (outcome === 'bodiless') await moves.call({ ...item, bringsBody: true })
  }

  async function lost(holds: readonly Hold[]): Promise<readonly Hold[]> {
    const items = holds.flatMap((hold) => {
      const entry = entries.entryOf(hold.id)
      return entry ? [{ hold, entry }] : []
    })
    const gone = items.length > 0 ? await unheld(scripts.stillHeld, items) : nobody
    for (const { hold, entry } of gone) entries.forget(hold.id, entry)
    const ours = new Set(items.flatMap((item) => (gone.has(item) ? [] : item.hold)))
    return holds.filter((hold) => !ours.has(hold))
  }

  return {
    send: sends.call,
    // Without another promise around that of the batch: it is the path of every message.
    complete(hold) {
      const entry = entries.entryOf(hold.id)
      return entry === undefined ? Promise.reject(holdLost(hold.id)) : completes.call({ hold, entry })
    },
    giveBack: async (job) => returns.call({ ...standing(job.hold), job }),
    move,
    extend: async ({ hold, ms }) => extensions.call({ ...standing(hold), ms }),
    claim(channel, consumer, request) {
      completes.hurry()
      return claims.claim(channel, consumer, request)
    },
    lost,
    async idle() {
      for (const each of [sends, completes, returns, extensions, moves]) await each.idle()
    },
  }
}

/** Nearly all are in hand for the first time, and most processes consume one channel. */
function alike(items: readonly Standing[]): readonly [Standing, ...Standing[]][] {
  const groups: [Standing, ...Standing[]][] = []
  for (const item of items) {
    const { entry, hold } = item
    const known = groups.find(([other]) => isAlike(other.entry, entry) && other.hold.fence === hold.fence)
    if (known) known.push(item)
    else groups.push([item])
  }
  return groups
}

function isAlike(one: Entry, other: Entry): boolean {
  return one.channel === other.channel && one.holder === other.holder
}

function textsIn(answer: Answer): readonly string[] {
  return (answer as readonly Buffer[]).map(String)
}

function outcomeOf(text: string, channel: string): string | RedriveError {
  if (text === '?') return unknownChannel(channel)
  return text.startsWith('-') ? answeredError(text.slice(1)) : text
}

function later(ms: number): number {
  return Math.min(ms, longest)
}

function bodyArguments(body: Uint8Array | null | undefined): readonly [hasBody: number, body: Argument] {
  return body ? [1, Buffer.from(body.buffer, body.byteOffset, body.byteLength)] : [0, '']
}

/** A retry counts a turn unless its claim did; a release takes back what its claim counted, and stays a suspect if it was one. */
function returnArguments({ id, holder }: Entry, job: SettleJobOf<'retry' | 'release'>): readonly Argument[] {
  const { hold, counted } = job
  if (job.kind === 'release') return [id, holder, hold.fence, 0, Number(job.suspect), -Number(counted), Number(job.unseen), 0, '']
  const { delay, envelope } = job
  return [id, holder, hold.fence, later(delay), 0, Number(!counted), 0, Number(envelope !== undefined), envelope ?? '']
}

function moveArguments({ entry, hold, job, body }: Standing & Moving, bringsBody: boolean): readonly Argument[] {
  const { content, delay } = job
  const isSame = content.body === undefined && !bringsBody
  const [hasBody, bytes] = bodyArguments(content.body === undefined ? body : content.body)
  const mode = isSame ? 'same' : hasBody === 1 ? 'given' : 'none'
  return [entry.id, entry.holder, hold.fence, later(delay), content.envelope, mode, isSame ? '' : bytes]
}

function holdLost(id: string | number): RedriveError {
  return new RedriveError('hold-lost', `Message ${id} is no longer ours: its lock expired and it was handed to somebody else.`)
}

export function unknownChannel(name: string): RedriveError {
  return new RedriveError('unknown-channel', `The channel "${name}" does not exist; provision it first.`)
}

import { setTimeout as sleep } from 'node:timers/promises'
import { until } from '../../until.ts'
import type { MemoryLimit } from '../memory-limit.ts'
import { type Child, type Ending, start } from './child.ts'
import { couldNotStart } from './could-not-start.ts'

/** Consumer processes that are kept at their number: who dies is replaced. */
export interface Crew {
  /** Lives that ended by a signal: by the faults. */
  readonly deaths: readonly number[]
  /** Exits of their own: none is expected, so each is told. */
  readonly failures: readonly string[]
  /** Resolves when all have started; rejects when that takes too long. */
  ready(within: number): Promise<void>
  /** Resolves when every member that is alive has said the word; rejects when that takes too long. */
  heardFromAll(word: string, within: number): Promise<void>
  /** `chance` between 0 and 1 says whom. */
  killOne(chance: number): void
  /** Stops or continues the one that has lived the longest. */
  signalFirst(name: 'SIGSTOP' | 'SIGCONT'): void
  /** Lets them drain, or kills them; resolves when all are gone. */
  stop(by?: 'SIGTERM' | 'SIGKILL'): Promise<void>
}

export interface CrewOrder {
  readonly program: URL
  readonly size: number
  /** What the program is told, besides its log and which life it is. */
  readonly order: object
  /** Orders for the first ones to live, one after the other; everybody after them gets the plain order. */
  readonly doomed?: readonly { readonly barrier: string; readonly passes: number }[]
  log(life: number): string
  /** Where the numbering of lives begins, for a run with several crews. */
  readonly firstLife?: number
  readonly limit?: MemoryLimit
}

interface Member {
  readonly child: Child
  readonly life: number
  readonly words: Map<string, number>
}

/** Between the death of a member and the start of the next: a member that cannot start must not spin. */
const pause = 50

export function startCrew({ program, size, order, doomed = [], log, limit, firstLife = 0 }: CrewOrder): Crew {
  const fates = [...doomed]
  const members = new Set<Member>()
  const failures: string[] = []
  const deaths: number[] = []
  let born = firstLife
  let stopping = false

  function begin(): void {
    const life = born++
    const child = start(program, { ...order, ...fates.shift(), log: log(life), life })
    const member: Member = { child, life, words: new Map() }
    if (limit && child.process.pid !== undefined) limit.put(child.process.pid)
    members.add(member)
    child.process.on('message', (word: string) => member.words.set(word, (member.words.get(word) ?? 0) + 1))
    void child.ended.then((ending) => replace(member, ending))
  }

  async function replace(member: Member, { code, signal }: Ending): Promise<void> {
    members.delete(member)
    if (signal === 'SIGKILL') deaths.push(member.life)
    // Asked to stop before it could listen: it was born a moment ago.
    else if (stopping && signal === 'SIGTERM') return
    else if (code !== 0 && code !== couldNotStart) failures.push(`a consumer ended with code ${code}, signal ${signal}`)
    await sleep(pause)
    if (!stopping) begin()
  }

  for (let each = 0; each < size; each++) begin()
  return {
    deaths,
    failures,
    ready: (within) =>
      until('everybody is ready', () => [...members].filter(({ words }) => words.has('ready')).length === size, within),
    heardFromAll(word, within) {
      const before = new Map([...members].map((member) => [member, member.words.get(word) ?? 0]))
      const isSilent = ([member, count]: [Member, number]): boolean =>
        members.has(member) && (member.words.get(word) ?? 0) === count
      return until(`everybody says "${word}"`, () => ![...before].some(isSilent), within)
    },
    killOne: (chance) => void [...members][Math.floor(chance * members.size)]?.child.process.kill('SIGKILL'),
    signalFirst: (name) => void [...members][0]?.child.process.kill(name),
    async stop(by = 'SIGTERM') {
      stopping = true
      for (const { child } of members) child.process.kill(by)
      await Promise.all([...members].map(({ child }) => child.ended))
    },
  }
}

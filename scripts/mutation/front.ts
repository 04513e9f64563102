import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import type { Journal } from './journal.ts'
import { type Lane, lane } from './lane.ts'
import { planFor } from './plan.ts'
import { type FileSurvey, isDead, type Verdict } from './protocol.ts'

/**
 * What Stryker's command asks for each mutant, over a socket, instead of starting vitest. The first question comes without a mutant: then
 * every test runs once, and it is noted what each of them touches.
 */
export interface Front {
  readonly port: number
  /** What was said about each mutant, by its number. */
  readonly verdicts: ReadonlyMap<string, Verdict>
  close(): void
}

/** As far from the usual as can be: a mutant may be slow without being endless. */
const endless = { hitFactor: 20, leastHits: 2000, timeFactor: 20, leastMs: 2000 }
const progressEvery = 250

export interface FrontSettings {
  readonly testFiles: readonly string[]
  readonly laneCount: number
  readonly journal: Journal
  /** What is asked after so many milliseconds is not tried any more. */
  readonly tryFor: number
}

export async function openFront({ testFiles, laneCount, journal, tryFor }: FrontSettings): Promise<Front> {
  const startedAt = performance.now()
  const isOver = (): boolean => performance.now() - startedAt >= tryFor
  const verdicts = new Map<string, Verdict>()
  const free: Lane[] = []
  const lanes: Lane[] = []
  let surveys: readonly FileSurvey[] = []
  let ownTests: ReadonlyMap<string, string> = new Map()
  let latest: string | undefined

  async function survey(sandbox: string): Promise<string> {
    if (isOver()) return 'passed'
    lanes.push(...Array.from({ length: laneCount }, () => lane(sandbox, testFiles)))
    free.push(...lanes)
    const answers = await Promise.all(lanes.map((one, share) => one.ask({ kind: 'survey', share, of: laneCount })))
    surveys = answers.flatMap((answer) => (answer.kind === 'surveyed' ? answer.surveys : []))
    const failed = surveys.find((file) => file.failed !== undefined)
    if (failed) return `without any mutant "${failed.failed}" fails in ${failed.file}`
    ownTests = ownTestsIn(sandbox)
    return 'passed'
  }

  async function attempt(mutant: string): Promise<Verdict> {
    if (isOver()) return 'untried'
    const { runs, hits, ms } = planFor(mutant, surveys, { own: ownTests.get(mutant), latest })
    if (runs.length === 0) return 'unreached'
    const taken = free.pop()
    if (!taken) throw new Error('more mutants at once than lanes')
    const limits = { hits: endless.leastHits + hits * endless.hitFactor, ms: endless.leastMs + ms * endless.timeFactor }
    const answer = await taken.ask({ kind: 'try', mutant, runs, limits })
    free.push(taken)
    if (answer.kind === 'killed') latest = answer.file
    return answer.kind === 'surveyed' ? 'unreached' : answer.kind
  }

  /** Two lines are asked, the mutant (or nothing) and the folder; one is answered. */
  async function reply(socket: Socket): Promise<string> {
    const lines = createInterface(socket)[Symbol.asyncIterator]()
    const { value: mutant } = await lines.next()
    const { value: sandbox } = await lines.next()
    if (!mutant) return survey(String(sandbox))
    const verdict = journal.told.get(mutant) ?? (await attempt(mutant))
    if (!journal.told.has(mutant) && verdict !== 'untried') journal.note(mutant, verdict)
    verdicts.set(mutant, verdict)
    if (verdicts.size % progressEvery === 0) console.log(`${verdicts.size} mutants tried`)
    return isDead(verdict) ? 'failed' : 'passed'
  }

  const server = createServer((socket) => {
    reply(socket)
      .catch((error: unknown) => String(error))
      .then((answer) => socket.end(`${answer}\n`))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    verdicts,
    close: () => {
      for (const one of lanes) one.close()
      server.close()
    },
  }
}

/** For each mutant, the test file beside the source that it is in, by the numbers that Stryker wrote there. */
function ownTestsIn(sandbox: string): ReadonlyMap<string, string> {
  const owners = new Map<string, string>()
  for (const file of globSync(join(sandbox, 'src/**/*.ts'))) {
    for (const [, mutant] of readFileSync(file, 'utf8').matchAll(/stryMutAct_9fa48\("(\d+)"\)/g)) {
      owners.set(String(mutant), file.replace(/\.ts$/, '.test.ts'))
    }
  }
  return owners
}

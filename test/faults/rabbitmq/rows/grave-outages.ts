import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describeFlow, type Flow, standstills, watchFlow } from '../../flow.ts'
import type { Row, RowResult, World } from '../../harness/row.ts'
import { play, type Scene } from '../play.ts'
import { createStage, type Stage } from '../stage.ts'
import { createGrave, deletable, deleteGrave } from './graves.ts'
import { everything, type RestrictedUser, withoutLetters, withRestrictedUser } from './restricted-user.ts'

type Answer = 'hold' | 'spool'
/** Makes the dead-letter queue fail, once enough was sent; the result repairs it. */
type Break = (scene: Scene) => Promise<() => Promise<void>>

const perSecond = 50
/** Sent before the outage, and about as many after it. Seconds. */
const margin = 5
/** How often connections are cut during an outage. */
const cuts = 6
/** A queue counts what comes back from a lost connection as a delivery: so many must not look like poison. */
const turns = cuts + 3

/** Rows by the clock: the dead-letter queue is down for as long as the command line says, while messages come at a steady rate. */
export function graveOutageRows(outage: number): readonly Row[] {
  if (outage === 0) return []
  const answers: readonly Answer[] = ['hold', 'spool']
  const named = (what: string, answer: Answer): string => `${what} for ${outage / 1000} s, ${answer}`
  return [
    ...answers.flatMap((answer): Row[] => [
      row(named('dead-letter queue deleted', answer), (world) => deleted(world, outage, answer)),
      row(named('write permission revoked', answer), (world) => revoked(world, outage, answer, false)),
      row(named('write permission revoked and connection cut', answer), (world) => revoked(world, outage, answer, true)),
    ]),
    {
      ...row(named('takes nothing while a letter is refused', 'hold'), (world) =>
        deleted(world, outage, 'hold', 'takes nothing while a letter is refused'),
      ),
      kind: 'twin',
      isCaught: (result) => 'complaints' in result && result.complaints.some((each) => each.includes('stood still')),
    },
  ]
}

function row(name: string, run: (world: World) => Promise<RowResult>): Row {
  return { name, weight: 1, kind: 'safe', run }
}

async function deleted({ calm }: World, outage: number, answer: Answer, plant?: string): Promise<RowResult> {
  const stage = await createStage(calm, { deadLetterQueue: deletable })
  const breakGrave: Break = async (scene) => {
    await deleteGrave(scene, perSecond * margin)
    return () => createGrave(stage)
  }
  return underLoad(stage, outage, answer, breakGrave, plant)
}

function revoked({ calm }: World, outage: number, answer: Answer, cutsAgain: boolean): Promise<RowResult> {
  return withRestrictedUser(calm, async (restricted, options) => {
    const stage = await createStage(calm, options)
    const user = await restricted(stage)
    return underLoad(stage, outage, answer, (scene) => takeRightsAway(scene, user, outage, cutsAgain))
  })
}

/** A channel remembers for a while what it may do, so its connection is cut: once, or again and again while the outage lasts. */
async function takeRightsAway({ producing }: Scene, user: RestrictedUser, outage: number, cutsAgain: boolean): ReturnType<Break> {
  await producing.confirmed(perSecond * margin)
  await user.allow(withoutLetters)
  user.cut()
  producing.goOn()
  const cutting = cutsAgain ? setInterval(user.cut, outage / cuts) : undefined
  return async () => {
    clearInterval(cutting)
    await user.allow(everything)
    user.cut()
  }
}

async function underLoad(stage: Stage, outage: number, answer: Answer, breakGrave: Break, plant?: string): Promise<RowResult> {
  const spool = join(stage.folder, 'spool')
  mkdirSync(spool)
  let flow: Flow | undefined
  try {
    const result = await play({
      stage,
      messages: Math.floor(perSecond * (outage / 1000 + 2 * margin)),
      order: { prefetch: 20, turns, ...(answer === 'spool' && { spool }), ...(plant !== undefined && { plant }) },
      producer: { holdAt: perSecond * margin, perSecond },
      async fault(scene) {
        const repair = await breakGrave(scene)
        flow = await watchFlow(scene.evidence.succeeded, outage)
        await repair()
      },
    })
    if (!flow) throw new Error('The outage did not happen.')
    const waiting = filesWithLetters(spool)
    const undrained = waiting > 0 ? [`${waiting} files still wait in the spool`] : []
    return { ...result, complaints: [...result.complaints, ...standstills(flow), ...undrained], note: describeFlow(flow) }
  } finally {
    await stage.close()
  }
}

function filesWithLetters(spool: string): number {
  return readdirSync(spool, { recursive: true, encoding: 'utf8' }).filter((name) => name.includes('.letters')).length
}

import { setTimeout as sleep } from 'node:timers/promises'
import type { ArenaServer, Repair } from '../harness/arena-rows.ts'
import type { Judged, Row, World } from '../harness/row.ts'
import { faultChannels } from '../messages.ts'
import { createDisk, whyPowerStaysOn } from '../power-loss.ts'
import { type Scene, troubleRun } from '../trouble-run.ts'
import { type RedisArena, redisArena } from './arena.ts'

const subject = 'redis'

export const redisServer: ArenaServer<RedisArena> = {
  subject,
  openArena: redisArena,
  graveFaults: {
    'dead-letter stream renamed, back later': withoutGrave,
    'dead-letter stream refuses every letter, until it takes them': withOtherGrave,
  },
  losingSettings: { name: 'appendonly no, server killed', settings: ['appendonly no'] },
}

/** What only this server can suffer. */
export const redisRows: readonly Row[] = [
  { name: 'server out of memory, until it has more', kind: 'safe', run: outOfMemory },
  { name: 'scripts forgotten all the time', kind: 'safe', run: withoutScripts },
  { name: 'power cut (ext4, loop device)', kind: 'safe', longOnly: true, run: (world, messages) => powerCut(world, messages) },
  {
    name: 'power cut, appendfsync everysec',
    kind: 'broker',
    longOnly: true,
    run: (world, messages) => powerCut(world, messages, ['appendfsync everysec']),
  },
]

async function withoutGrave({ observer, keyOf }: RedisArena): Promise<Repair> {
  const grave = keyOf(faultChannels.deadLetter)
  await observer.rename(grave, `${grave}-away`)
  return async () => void (await observer.rename(`${grave}-away`, grave))
}

/** Its name belongs to something else: what a mistake of somebody looks like. */
async function withOtherGrave(arena: RedisArena): Promise<Repair> {
  const bringBack = await withoutGrave(arena)
  await arena.observer.set(arena.keyOf(faultChannels.deadLetter), 'something else')
  return bringBack
}

async function onServer(
  world: World,
  messages: number,
  options: { readonly settings?: readonly string[]; readonly folder?: string },
  trouble: (scene: Scene, broker: Awaited<ReturnType<World['disturbed']>>) => Promise<void>,
  patience?: number,
): Promise<Judged> {
  const broker = await world.disturbed(options)
  try {
    const arena = await redisArena(broker)
    const script = { subject, messages, trouble: (scene: Scene) => trouble(scene, broker) }
    try {
      return await troubleRun({ ...script, ...(patience !== undefined && { patience }) }, arena)
    } finally {
      await arena.close()
    }
  } finally {
    await broker.stop()
  }
}

/** So long nothing can be written; it is the fault that is injected here, and not a wait for anything. Milliseconds. */
const withoutMemory = 3000

function outOfMemory(world: World, messages: number): Promise<Judged> {
  return onServer(world, messages, {}, async ({ arena, sendRest }) => {
    const { observer } = arena as RedisArena
    await observer.config('SET', 'maxmemory', '1mb')
    const sending = sendRest()
    await sleep(withoutMemory)
    await observer.config('SET', 'maxmemory', '0')
    await sending
  })
}

/** As often as in a failover every second. */
function withoutScripts({ calm }: World, messages: number): Promise<Judged> {
  return withCalmArena(calm, async (arena) => {
    const trouble = async ({ sendRest }: Scene): Promise<void> => {
      let isSending = true
      const sending = sendRest().finally(() => {
        isSending = false
      })
      while (isSending) {
        await arena.observer.script('FLUSH')
        await sleep(50)
      }
      await sending
    }
    return troubleRun({ subject, messages, trouble }, arena)
  })
}

async function withCalmArena(calm: World['calm'], run: (arena: RedisArena) => Promise<Judged>): Promise<Judged> {
  const arena = await redisArena(calm)
  try {
    return await run(arena)
  } finally {
    await arena.close()
  }
}

/** When nothing has happened for so long, what is missing will not come. */
const losingPatience = 4000

/** Consumers stand still meanwhile, so that much is confirmed which nobody has handled. */
async function powerCut(world: World, messages: number, settings?: readonly string[]): Promise<Judged | { notRun: string }> {
  const why = whyPowerStaysOn()
  if (why !== undefined) return { notRun: why }
  const disk = createDisk(256)
  const trouble = async ({ consumers, sendRest }: Scene, broker: Awaited<ReturnType<World['disturbed']>>): Promise<void> => {
    for (const consumer of consumers) consumer.signal('SIGSTOP')
    await sendRest()
    disk.cutPower()
    await broker.kill()
    disk.boot()
    for (const consumer of consumers) consumer.signal('SIGCONT')
    await broker.restart()
  }
  try {
    const options = { folder: disk.folder, ...(settings && { settings }) }
    return await onServer(world, messages, options, trouble, settings && losingPatience)
  } finally {
    disk.remove()
  }
}

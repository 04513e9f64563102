import { expect, it, vi } from 'vitest'
import { createCluster } from './cluster.ts'
import { resolveOptions } from './options.ts'

/** Whom the group is told to ask, one answer after the other; and who does not answer any more. */
const told = vi.hoisted(() => ({ coordinators: [] as string[], dead: new Set<string>() }))

vi.mock('./library.ts', async () => {
  const { EventEmitter } = await import('node:events')
  class Connection extends EventEmitter {
    async connect(host: string): Promise<void> {
      if (told.dead.has(host)) throw new Error(`connect ECONNREFUSED ${host}`)
    }
    async close(): Promise<void> {}
  }
  const findCoordinatorV3 = {
    api: { async: async () => ({ coordinators: [{ host: told.coordinators.shift(), port: 9092 }] }) },
  }
  return { loadKafka: async () => ({ Connection, findCoordinatorV3 }) }
})

it('asks again who coordinates a group when that broker is not there any more', async () => {
  told.coordinators.push('first', 'first', 'second')
  const cluster = createCluster(resolveOptions({ bootstrapServers: 'second:9092', groupId: 'shop' }))
  await cluster.coordinator('shop', 'group')
  told.dead.add('first')
  // The one that is connected breaks with its broker; whoever asks for another purpose finds nobody there.
  await expect(cluster.coordinator('shop', 'ask')).rejects.toMatchObject({ code: 'unreachable' })
  await expect(cluster.coordinator('shop', 'ask')).rejects.toMatchObject({ code: 'unreachable' })
  await cluster.coordinator('shop', 'ask')
  expect(told.coordinators).toEqual([])
  await cluster.close()
})

import type { Row, RowResult, World } from '../../harness/row.ts'
import { memoryLimit } from '../../memory-limit.ts'
import { play } from '../play.ts'
import { createStage } from '../stage.ts'

export const hostileRows: readonly Row[] = [
  { name: 'errors of a megabyte, on messages with 40 KB of headers', weight: 2, kind: 'safe', run: monsters },
  { name: 'a message that takes all memory, among 200 in hand', weight: 2, kind: 'safe', run: outOfMemory },
]

/** What fits into the 64 KiB into which the client library encodes all headers. */
const mostHeaders = 60 * 1024

async function monsters({ calm }: World, messages: number): Promise<RowResult> {
  const stage = await createStage(calm)
  try {
    // Looking through such errors keeps a process busy; a heartbeat that is missed meanwhile would be another fault.
    const order = { errors: 'monstrous', heartbeat: 120 } as const
    const result = await play({ stage, messages, order, producer: { headerBytes: 40_000 } })
    const { largestHeaders, verdict } = result
    const complaints = [
      ...result.complaints,
      ...(largestHeaders > mostHeaders ? [`a letter has ${largestHeaders} bytes of headers`] : []),
      ...(verdict.duplicated > 0 ? ['something was dead-lettered twice, without any fault'] : []),
    ]
    return { ...result, complaints, note: `largest headers ${largestHeaders} bytes` }
  } finally {
    await stage.close()
  }
}

/** Node takes about a third of it when it is idle. */
const megabytes = 320
/** Three turns, one that is blamed on nobody, and none too many. */
const mostDeaths = 5

async function outOfMemory({ calm }: World, messages: number): Promise<RowResult> {
  const limit = memoryLimit(megabytes)
  const stage = await createStage(calm)
  try {
    const crash = limit ? 'memory' : 'kill'
    const producer = { crashing: Math.floor(messages / 2) }
    const result = await play({ stage, messages, order: { crash }, producer, ...(limit && { limit }) })
    const complaints = [...result.complaints, ...(result.deaths > mostDeaths ? [`it killed ${result.deaths} consumers`] : [])]
    const how = limit ? `${megabytes} MB in a control group` : 'kill -9, for want of a control group'
    return { ...result, complaints, note: `${result.deaths} consumers died, ${how}` }
  } finally {
    await stage.close()
    limit?.remove()
  }
}

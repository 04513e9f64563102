import { readFileSync } from 'node:fs'
import { createConsumer } from '../src/runtime/consumer.ts'
import { embedded } from '../src/transports/embedded/embedded.ts'
import { orderType } from './payload.ts'
import { batchSize, fill } from './redrive-contender.ts'

/** `node backlog.program.ts <file> fill|consume <messages>`: fills a queue, or consumes so many of it and tells what that took. */
const [, , file = '', what, messages = '0'] = process.argv
const transport = embedded({ file })

if (what === 'fill') {
  await fill(transport, Number(messages))
  process.send?.({ peakRssMiB: 0, perSecond: 0 })
} else process.send?.(await consume())
await transport.close()
process.disconnect?.()

/** From the kernel's own page: what `resourceUsage` tells begins with the memory of the process that forked this one. */
function peakRssMiB(): number {
  return Math.round(Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) / 1024)
}

async function consume(): Promise<{ peakRssMiB: number; perSecond: number }> {
  const consumer = createConsumer({ transport, service: 'bench', logger: false })
  const done = Promise.withResolvers<void>()
  let left = Number(messages)
  consumer.channel('order', { concurrency: batchSize, prefetch: batchSize, deadLetter: 'dlq.order' }).on(orderType, async () => {
    if (--left === 0) done.resolve()
  })
  const startedAt = performance.now()
  await consumer.start()
  await done.promise
  const perSecond = Math.round(Number(messages) / ((performance.now() - startedAt) / 1000))
  await consumer.stop()
  return { peakRssMiB: peakRssMiB(), perSecond }
}

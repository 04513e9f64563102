import { embedded } from '../../../src/transports/embedded/embedded.ts'

/**
 * A process that sends so many messages, or without end, and tells its parent, over the channel that it was forked with, what was
 * acknowledged. `node producer.ts <file> <durability> [most]`
 */
const [, , file = '', durability, most = 'Infinity'] = process.argv
const transport = embedded({ file, durability: durability === 'normal' ? 'normal' : 'full' })
const address = { name: 'work' }
const body = new Uint8Array(300)

await transport.provision({ channels: [{ address, role: 'work' }] }, 'apply')
// Whoever ends closes the file, which flushes it: it stands still until it is killed.
setInterval(() => {}, 60_000)
await Promise.all([0, 1, 2, 3].map(sendOneByOne))

/** Each writer has ids of its own: 0, 4, 8, … and 1, 5, 9, … */
async function sendOneByOne(writer: number): Promise<void> {
  for (let n = writer; n < Number(most); n += 4) {
    await transport.send(address, { id: String(n), body, headers: [] })
    process.send?.(n)
  }
}

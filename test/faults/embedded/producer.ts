import { embedded } from '../../../src/transports/embedded/embedded.ts'

/**
 * A process that sends without end and tells its parent, over the channel that it was forked with, what was acknowledged.
 * `node producer.ts <file> <durability>`
 */
const [, , file = '', durability] = process.argv
const transport = embedded({ file, durability: durability === 'normal' ? 'normal' : 'full' })
const address = { name: 'work' }
const body = new Uint8Array(300)

await transport.provision({ channels: [{ address, role: 'work' }] }, 'apply')
await Promise.all([0, 1, 2, 3].map(sendWithoutEnd))

/** Each writer has ids of its own: 0, 4, 8, … and 1, 5, 9, … */
async function sendWithoutEnd(writer: number): Promise<void> {
  for (let n = writer; ; n += 4) {
    await transport.send(address, { id: String(n), body, headers: [] })
    process.send?.(n)
  }
}

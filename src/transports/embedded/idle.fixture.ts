import { embedded } from './embedded.ts'

/** A program that uses the queue, forgets to close it, and should end all the same. */
const transport = embedded({ file: process.argv[2] ?? '' })
const address = { name: 'work' }
await transport.provision({ channels: [{ address, role: 'work' }] }, 'apply')
await transport.send(address, { body: null, headers: [] })
await transport.measure(address)
const receiver = await transport.receive(address, { prefetch: 1, hold: 1000 })
await receiver.close()
process.disconnect?.()

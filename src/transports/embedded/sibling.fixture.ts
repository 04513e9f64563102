import { embedded } from './embedded.ts'

/** The program of another process: it does what its parent asks for, on the file that it is given. */
const transport = embedded({ file: process.argv[2] ?? '' })
const work = { name: 'work' }

process.on('message', async (command: { send?: string[]; consume?: number }) => {
  if (command.send) await Promise.all(command.send.map((id) => transport.send(work, { id, body: null, headers: [] })))
  process.send?.(command.consume ? await consume(command.consume) : 'sent')
})

async function consume(count: number): Promise<string[]> {
  const receiver = await transport.receive(work, { prefetch: 10, hold: 60_000 })
  const seen: string[] = []
  while (seen.length < count) {
    const batch = await receiver.take(Math.min(10, count - seen.length), 10_000)
    await Promise.all(batch.map((delivery) => transport.settle(delivery, { kind: 'complete' })))
    seen.push(...batch.map(({ message }) => message.id ?? ''))
  }
  await receiver.close()
  return seen
}

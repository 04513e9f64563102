import { embedded } from './embedded.ts'

/** Sends one by one, whatever happens, and prints what became of each and which acknowledged ones are not there. */
const transport = embedded({ file: process.argv[2] ?? '' })
const address = { name: 'work' }
await transport.provision({ channels: [{ address, role: 'work' }] }, 'apply')

const outcomes: string[] = []
for (let n = 0; n < 30; n++) {
  const sent = transport.send(address, { id: String(n), body: null, headers: [] })
  outcomes.push(await sent.then(() => 'acknowledged').catch((error) => error.code))
}
const present = new Set((await transport.browse(address, { limit: 100 })).messages.map(({ message }) => message.id))
const missing = outcomes.flatMap((outcome, n) => (outcome === 'acknowledged' && !present.has(String(n)) ? [String(n)] : []))
console.log(JSON.stringify({ outcomes, missing }))
await transport.close()

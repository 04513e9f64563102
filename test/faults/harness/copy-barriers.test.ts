import { expect, it, onTestFinished, vi } from 'vitest'
import { memory } from '../../../src/transports/memory/memory.ts'
import { withDeaths } from './copy-barriers.ts'

it('dies after sending also where every answer is faster than the loop, and not of the first of them', async () => {
  const kill = vi.spyOn(process, 'kill').mockReturnValue(true)
  onTestFinished(() => kill.mockRestore())
  const broker = memory()
  const dead = { name: 'dead' }
  await broker.provision({ channels: [{ address: dead, role: 'dead-letter' }] }, 'apply')
  const transport = withDeaths(broker, 'letter: after send', 0)
  const died: boolean[] = []
  for (let letter = 0; letter < 5; letter++) {
    await transport.send(dead, { id: `${letter}`, body: null, headers: [] })
    died.push(kill.mock.calls.length > 0)
  }
  expect([died.at(0), died.at(-1)]).toEqual([false, true])
})

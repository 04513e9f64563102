import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, expect, test, vi } from 'vitest'
import { claim, freePorts } from './ports.ts'
import { startBroker } from './start.ts'

afterEach(() => {
  vi.unstubAllEnvs()
})

test('a broker given by URL wins, and is not ours to disturb', async () => {
  vi.stubEnv('REDRIVE_SQS_URL', 'http://127.0.0.1:1')
  const broker = await startBroker('elasticmq')
  expect(broker.url).toBe('http://127.0.0.1:1')
  expect(() => broker.kill()).toThrow('run by somebody else')
  await broker.stop()
})

test('a broker that is not here names the command that provides it', async () => {
  const empty = await mkdtemp(join(tmpdir(), 'redrive-empty-'))
  vi.stubEnv('XDG_CACHE_HOME', empty)
  vi.stubEnv('PATH', empty)
  vi.stubEnv('REDRIVE_KAFKA_URL', '')
  await expect(startBroker('kafka')).rejects.toMatchObject({ command: 'npm run brokers -- install kafka 4.3.1' })
  await rm(empty, { recursive: true })
})

test('a port that one process was given is given to no other while it lives, although nobody listens there yet', async () => {
  const module = fileURLToPath(new URL('./ports.ts', import.meta.url))
  const code = `const { freePorts } = await import(${JSON.stringify(module)}); console.log(await freePorts(1)); setInterval(() => {}, 1000)`
  const other = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(other, 'exit')
  const [said] = await once(other.stdout, 'data')
  const port = Number(/\d+/.exec(String(said))?.[0])
  expect(await claim(port)).toBe(false)
  other.kill('SIGKILL')
  await ended
  expect(await claim(port)).toBe(true)
})

test('ports are distinct and below the ephemeral range', async () => {
  const ports = await freePorts(20)
  expect(new Set(ports).size).toBe(20)
  expect(Math.max(...ports)).toBeLessThan(32_768)
})

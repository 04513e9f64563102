import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { type Command, run } from './process.ts'

/** Far above what a busy machine needs: it bounds a failure, not a success. */
const patience = { timeout: 100_000 }

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'redrive-process-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

function shell(script: string): Command {
  return { program: '/bin/sh', args: ['-c', script], env: { PATH: '/usr/bin:/bin' }, folder, log: join(folder, 'log') }
}

async function pidIn(file: string): Promise<number> {
  return vi.waitFor(async () => {
    const pid = Number(await readFile(join(folder, file), 'utf8'))
    expect(pid).toBeGreaterThan(0)
    return pid
  }, patience)
}

/** A dead process that nobody has waited for yet still has a pid, so its state counts. */
async function stateOf(pid: number): Promise<string> {
  const line = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => ') gone')
  return line.slice(line.lastIndexOf(')') + 2).split(' ')[0] ?? ''
}

test('what a process prints is in its log', async () => {
  const { ended } = await run(shell('echo out; echo err >&2'))
  expect(await ended).toEqual({ code: 0, signal: null })
  expect(await readFile(join(folder, 'log'), 'utf8')).toBe('out\nerr\n')
})

test('a program that does not exist ends at once, and its log says why', async () => {
  const { ended } = await run({ ...shell(''), program: '/no/such/program' })
  expect((await ended).code).toBe(127)
  expect(await readFile(join(folder, 'log'), 'utf8')).toContain('/no/such/program')
})

test.each(['sleep', 'setsid sleep'])('killing a process kills what it started, which has ended then: %s', async (sleeping) => {
  const parent = await run(shell(`${sleeping} 600 & echo $! > child; wait`))
  const child = await pidIn('child')
  await parent.kill()
  expect(await stateOf(child)).toMatch(/gone|Z/)
})

test('a frozen process can be thawed, and can be killed', async () => {
  const sleeper = await run(shell('exec sleep 600'))
  sleeper.signal('SIGSTOP')
  expect(await stateOf(sleeper.pid)).toBe('T')
  sleeper.signal('SIGCONT')
  await vi.waitFor(async () => expect(await stateOf(sleeper.pid)).toBe('S'), patience)
  sleeper.signal('SIGSTOP')
  await sleeper.kill()
  expect((await sleeper.ended).signal).toBe('SIGKILL')
})

test.each(['SIGKILL', 'SIGTERM'] as const)('nothing outlives us when we end by %s', async (signal) => {
  const module = fileURLToPath(new URL('./process.ts', import.meta.url))
  const command = JSON.stringify(shell('echo $$ > pid; exec sleep 600'))
  const code = `const p = await import(${JSON.stringify(module)}); p.exitOnSignals(); await p.run(${command}); setInterval(() => {}, 1000)`
  const owner = spawn(process.execPath, ['--input-type=module', '-e', code], { stdio: 'ignore' })
  const ended = once(owner, 'exit')
  const pid = await pidIn('pid').finally(() => owner.kill(signal))
  await ended
  await vi.waitFor(async () => expect(await stateOf(pid)).toMatch(/gone|Z/), patience)
})

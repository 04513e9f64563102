import { execSync } from 'node:child_process'
import { resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { temporaryFolder } from '../control/letters.fixture.ts'
import { type RunningProgram, startProgram } from '../program.ts'
import { until } from '../until.ts'

const program = resolve('src/cli/redrive.ts')

function redrive(folder: string, ...args: readonly string[]): RunningProgram {
  const running = startProgram(program, args, { cwd: folder, env: { REDRIVE_PORT: '0', REDRIVE_DATA: folder } })
  onTestFinished(async () => {
    running.child.kill('SIGINT')
    await running.exit
  })
  return running
}

async function demo(
  folder: string,
): Promise<{ readonly running: RunningProgram; readonly address: string; readonly link: string }> {
  const running = redrive(folder, 'up', '--demo')
  await running.shows('This is the demo')
  const [, address = ''] = /up at (http:\/\/[\d.:]+)/.exec(running.output()) ?? []
  const [, link = ''] = /\/setup\?token=(\S+)/.exec(running.output()) ?? []
  return { running, address, link }
}

const json = { 'content-type': 'application/json' }

test('a newcomer starts the demo, gets in by the link, and sees causes there and in the terminal', {
  timeout: 240_000,
}, async () => {
  const folder = temporaryFolder()
  const { running, address, link } = await demo(folder)
  expect((await fetch(`${address}/healthz`)).status).toBe(200)
  expect((await fetch(`${address}/api/v1/causes`)).status).toBe(401)

  const password = 'correct horse battery staple'
  const setup = await fetch(`${address}/api/v1/setup`, {
    method: 'POST',
    headers: { ...json, origin: address },
    body: JSON.stringify({ token: link, password }),
  })
  expect(setup.ok).toBe(true)
  const session = await fetch(`${address}/api/v1/session`, {
    method: 'POST',
    headers: { ...json, origin: address },
    body: JSON.stringify({ name: 'admin', password }),
  })
  const cookie = session.headers
    .getSetCookie()
    .map((each) => each.split(';', 1)[0])
    .join('; ')
  const asked = async <T>(path: string): Promise<T> =>
    (await (await fetch(`${address}/api/v1${path}`, { headers: { cookie } })).json()) as T
  const causes = async (): Promise<readonly { readonly title: string }[]> =>
    (await asked<{ causes: readonly { readonly title: string }[] }>('/causes')).causes
  await until('there are three causes', async () => (await causes()).length >= 3)
  expect((await causes()).map(({ title }) => title)).toContain('PermanentError: The account is closed')

  const [, suggested = ''] = /^ +(\S.* causes --vault .+)$/m.exec(running.output()) ?? []
  expect(execSync(suggested, { cwd: folder, encoding: 'utf8', timeout: 120_000 })).toContain('The account is closed')

  const reported = async () => (await asked<{ consumers: readonly object[] }>('/consumers')).consumers.length
  await until('the consumer has reported', async () => (await reported()) > 0)
  const consumers = redrive(folder, 'consumers', '--vault', 'vault.db')
  await consumers.exit
  expect(consumers.output()).toMatch(/settlements +demo +1\.4\.0 .*settlement\.requested/)

  running.child.kill('SIGINT')
  expect(await running.exit).toBe(0)
})

test('a second control plane on the same vault is refused, and the first goes on', { timeout: 240_000 }, async () => {
  const folder = temporaryFolder()
  const { address } = await demo(folder)
  const second = redrive(folder, 'up', '--demo')
  expect(await second.exit).not.toBe(0)
  expect(second.output()).toContain('conflict')
  expect((await fetch(`${address}/healthz`)).status).toBe(200)
})

test.each([
  ['a port that is none', { REDRIVE_PORT: 'seven' }, [], 'REDRIVE_PORT'],
  ['a configuration that is not there', {}, ['--config', 'nowhere.yaml'], 'nowhere.yaml'],
  ['a demo with a configuration', {}, ['--demo', '--config', 'x.yaml'], '--demo'],
])('%s is refused in one line', async (_, env, args, told) => {
  const folder = temporaryFolder()
  const running = startProgram(program, ['up', ...args], { cwd: folder, env: { REDRIVE_DATA: folder, ...env } })
  expect(await running.exit).not.toBe(0)
  expect(running.output()).toContain(told)
})

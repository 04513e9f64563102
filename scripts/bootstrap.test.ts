import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

/** Stands for npm, and can be told to go on only when somebody else has begun to wait. */
const npm = `
const { appendFileSync, existsSync, mkdirSync } = require('node:fs')
appendFileSync('runs', 'begun\\n')
while (existsSync('held')) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
mkdirSync('node_modules', { recursive: true })
appendFileSync('runs', 'ended\\n')
process.exit(existsSync('fails') ? 1 : 0)
`

/** A project that has nothing but the script. */
function aFreshClone(): string {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-bootstrap-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }))
  mkdirSync(join(folder, 'scripts'))
  cpSync(new URL('bootstrap.cjs', import.meta.url), join(folder, 'scripts', 'bootstrap.cjs'))
  writeFileSync(join(folder, 'package-lock.json'), '{}')
  writeFileSync(join(folder, 'npm.cjs'), npm)
  return folder
}

function bootstrap(folder: string) {
  const env = { ...process.env, npm_execpath: join(folder, 'npm.cjs') }
  const child = spawn(process.execPath, [join(folder, 'scripts', 'bootstrap.cjs')], { env, stdio: ['ignore', 'ignore', 'pipe'] })
  let said = ''
  child.stderr.on('data', (data) => (said += data))
  return { child, ended: once(child, 'exit').then(([code]) => code as number), said: () => said }
}

const runsIn = (folder: string): string => (existsSync(join(folder, 'runs')) ? readFileSync(join(folder, 'runs'), 'utf8') : '')

test('two scripts that begin side by side on a fresh clone install once', async () => {
  const folder = aFreshClone()
  writeFileSync(join(folder, 'held'), '')
  const all = [bootstrap(folder), bootstrap(folder), bootstrap(folder)]
  await expect.poll(() => all.filter(({ said }) => said().includes('waiting for another')), { timeout: 20_000 }).toHaveLength(2)
  rmSync(join(folder, 'held'))
  expect(await Promise.all(all.map(({ ended }) => ended))).toEqual([0, 0, 0])
  expect(runsIn(folder)).toBe('begun\nended\n')
  expect(readdirSync(folder).filter((name) => name.startsWith('.installing'))).toEqual([])
})

test('one that was killed while it installed keeps nobody waiting', async () => {
  const folder = aFreshClone()
  writeFileSync(join(folder, 'held'), '')
  const first = bootstrap(folder)
  await expect.poll(() => runsIn(folder), { timeout: 20_000 }).toBe('begun\n')
  first.child.kill('SIGKILL')
  await first.ended
  rmSync(join(folder, 'held'))
  expect(await bootstrap(folder).ended).toBe(0)
  expect(runsIn(folder).match(/begun/g)).toHaveLength(2)
})

test('what npm could not install is an error, and the next one tries again', async () => {
  const folder = aFreshClone()
  writeFileSync(join(folder, 'fails'), '')
  const failed = bootstrap(folder)
  expect(await failed.ended).toBe(1)
  expect(failed.said()).toContain('npm ci failed; run it by hand to see why')
  rmSync(join(folder, 'fails'))
  expect(await bootstrap(folder).ended).toBe(0)
  expect(runsIn(folder)).toBe('begun\nended\nbegun\nended\n')
})

import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  closeSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { describe, expect, onTestFinished, test } from 'vitest'
import type { Transport } from '../seam.ts'
import { gather, labels, message, open, openQueue, sendAll, temporaryFile, temporaryFolder, work } from './queue.fixture.ts'

const isRoot = process.getuid?.() === 0

async function fileWith(...names: readonly string[]): Promise<string> {
  const file = temporaryFile()
  const transport = await openQueue({ file })
  await sendAll(transport, ...names)
  await transport.close()
  return file
}

const verbs: [string, (transport: Transport) => Promise<unknown>][] = [
  ['send', (transport) => transport.send(work, message('x'))],
  ['receive', (transport) => transport.receive(work, { prefetch: 1, hold: 1000 })],
  ['browse', (transport) => transport.browse(work, { limit: 1 })],
  ['measure', (transport) => transport.measure(work)],
  ['provision', (transport) => transport.provision({ channels: [{ address: work, role: 'work' }] }, 'apply')],
]

describe.each(verbs)('%s', (_, call) => {
  test.each<[string, (file: string) => void]>([
    ['was emptied', (file) => truncateSync(file, 0)],
    ['lost its end', (file) => truncateSync(file, statSync(file).size - 4096)],
    ['was overwritten', (file) => writeFileSync(file, 'x'.repeat(8192))],
    ['has a damaged page', (file) => overwrite(file, 4096, Buffer.alloc(4096, 0xaa))],
  ])('refuses a file that %s, and leaves it as it is', async (_how, damage) => {
    const file = await fileWith('a', 'b')
    damage(file)
    const before = readFileSync(file)
    await expect(call(open({ file }))).rejects.toMatchObject({ code: 'store-corrupt' })
    expect(readFileSync(file).equals(before)).toBe(true)
  })

  test('refuses a file of a newer version', async () => {
    const file = await fileWith()
    const db = new DatabaseSync(file)
    db.exec('PRAGMA user_version = 99')
    db.close()
    await expect(call(open({ file }))).rejects.toMatchObject({ code: 'store-newer' })
  })

  test('says that the folder does not exist', async () => {
    const file = join(temporaryFolder(), 'missing', 'queue.db')
    await expect(call(open({ file }))).rejects.toMatchObject({ code: 'unreachable' })
  })
})

test('many transports of one process make one new file at once', { timeout: 240_000 }, async () => {
  for (let round = 0; round < 3; round++) {
    const file = temporaryFile()
    const transports = await Promise.all(Array.from({ length: 6 }, () => openQueue({ file })))
    await Promise.all(transports.map((transport, index) => sendAll(transport, `from-${index}`)))
    expect(await transports[0]?.measure(work)).toMatchObject({ pending: transports.length })
    expect(readdirSync(dirname(file)).filter((name) => name.includes('.new'))).toEqual([])
  }
})

test('the database of another program is refused', async () => {
  const file = temporaryFile()
  const db = new DatabaseSync(file)
  db.exec('CREATE TABLE theirs (x)')
  db.close()
  await expect(open({ file }).measure(work)).rejects.toMatchObject({ code: 'bad-option' })
})

test('what cannot be written is refused', async () => {
  const folder = temporaryFolder()
  const file = join(folder, 'queue.db')
  if (isRoot) mount(folder, 'size=4m')
  const writable = await openQueue({ file })
  await writable.close()
  if (isRoot) execFileSync('mount', ['-o', 'remount,ro', folder])
  else chmodSync(folder, 0o500)
  onTestFinished(() => void (isRoot ? undefined : chmodSync(folder, 0o700)))
  await expect(open({ file }).send(work, message('a'))).rejects.toMatchObject({ code: 'store-readonly' })
})

test('what was in use when its pages were damaged is refused from then on', async () => {
  const file = temporaryFile()
  const transport = await openQueue({ file })
  await sendAll(transport, ...Array.from({ length: 2000 }, (_, n) => String(n)))
  await transport.close()
  const again = open({ file })
  await again.measure(work)
  overwrite(file, 8192, Buffer.alloc(statSync(file).size - 8192, 0xaa))
  const outcomes = await Promise.allSettled([again.browse(work, { limit: 2000 }), gatherAll(again)])
  expect(outcomes).toMatchObject([{ reason: { code: 'store-corrupt' } }, { reason: { code: 'store-corrupt' } }])
})

describe.runIf(isRoot)('a full disk (a small file system, which takes root to make)', () => {
  test('refuses what does not fit, keeps what was acknowledged, and takes more when there is room', async () => {
    const folder = temporaryFolder()
    mount(folder, 'size=3m')
    const file = join(folder, 'queue.db')
    const transport = await openQueue({ file })
    const body = new Uint8Array(20_000)
    const kept: string[] = []
    const refused: unknown[] = []
    for (let n = 0; refused.length < 3; n++) {
      await transport.send(work, message(String(n), { body })).then(
        () => kept.push(String(n)),
        (error: { code: string }) => refused.push(error.code),
      )
    }
    expect(refused).toEqual(['store-full', 'store-full', 'store-full'])
    execFileSync('mount', ['-o', 'remount,size=16m', folder])
    await transport.send(work, message('after', { body }))
    const receiver = await transport.receive(work, { prefetch: 10_000, hold: 60_000 })
    expect(labels(await gather(receiver, kept.length + 1))).toEqual([...kept, 'after'])
    await transport.close()
  })
})

async function gatherAll(transport: Transport): Promise<void> {
  const receiver = await transport.receive(work, { prefetch: 2000, hold: 60_000 })
  await gather(receiver, 2000)
}

function overwrite(file: string, at: number, bytes: Buffer): void {
  const descriptor = openSync(file, 'r+')
  writeSync(descriptor, bytes, 0, bytes.length, at)
  closeSync(descriptor)
}

/** A file system of its own over that folder, until the test ends. */
function mount(folder: string, options: string): void {
  mkdirSync(dirname(folder), { recursive: true })
  execFileSync('mount', ['-t', 'tmpfs', '-o', options, 'tmpfs', folder])
  onTestFinished(() => void execFileSync('umount', ['-l', folder]))
}

describe('a failing disk (some system calls in the middle of the run fail, by strace)', () => {
  const [strace, node] = ['strace', process.execPath]
  const program = new URL('./failing-disk.fixture.ts', import.meta.url).pathname

  test
    .runIf(hasStrace())
    .each(['pwrite64:error=EIO:when=40..42', 'pwrite64:error=ENOSPC:when=40..44', 'fsync:error=EIO:when=22..23'])(
    '%s loses nothing that was acknowledged, and the queue goes on',
    { timeout: 240_000 },
    (fault) => {
      const call = fault.slice(0, fault.indexOf(':'))
      const traced = ['-f', '-qq', '-o', '/dev/null', '-e', `trace=${call}`, '-e', `inject=${fault}`]
      const printed = execFileSync(strace, [...traced, node, program, temporaryFile()], { encoding: 'utf8' })
      const { outcomes, missing } = JSON.parse(printed) as { outcomes: string[]; missing: string[] }
      expect(missing).toEqual([])
      expect(outcomes.at(-1)).toBe('acknowledged')
      expect(outcomes.filter((outcome) => outcome !== 'acknowledged').length).toBeGreaterThan(0)
    },
  )
})

describe('a new file (watched by strace)', () => {
  /** What was flushed since the file got its name, up to the log's second flush; before that nothing can have been acknowledged. */
  function flushedFirst(trace: string): string[] {
    const calls = trace.slice(trace.search(/^\d+ +link(at)?\(/m)).matchAll(/ fsync\(\d+<([^>]*)>/g)
    const flushed = [...calls].map(([, path = '']) => (path.endsWith('-wal') ? 'log' : path.endsWith('.db') ? 'file' : 'folder'))
    const second = flushed.indexOf('log', flushed.indexOf('log') + 1)
    return flushed.slice(0, second)
  }

  test.runIf(hasStrace())(
    'stands in its folder, and so does its log, before the first message is acknowledged',
    { timeout: 240_000 },
    () => {
      const file = temporaryFile()
      const trace = `${file}.trace`
      const program = new URL('./failing-disk.fixture.ts', import.meta.url).pathname
      const watched = ['-f', '-qq', '-y', '-o', trace, '-e', 'trace=fsync,link,linkat']
      execFileSync('strace', [...watched, process.execPath, program, file])
      const calls = readFileSync(trace, 'utf8')
      expect(flushedFirst(calls)).toEqual(['folder', 'log', 'folder'])
      const withoutFolders = calls.replaceAll(new RegExp(`^.* fsync\\(\\d+<${dirname(file)}>.*\n`, 'gm'), '')
      expect(flushedFirst(withoutFolders)).toEqual(['log'])
    },
  )
})

function hasStrace(): boolean {
  try {
    execFileSync('strace', ['-V'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

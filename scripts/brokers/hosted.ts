import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, openSync } from 'node:fs'
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { cacheFolder } from './cache.ts'
import { exitOnSignals } from './process.ts'
import type { BrokerName } from './recipe.ts'
import { startBroker } from './start.ts'

/**
 * A broker that a person started lives in a host: a background process that owns it as a test would, so that the two ways to
 * run a broker are one. While it runs, a note says what it is.
 */
export interface Note {
  readonly name: BrokerName
  readonly version: string
  readonly host: number
  readonly url: string
  readonly managementUrl?: string
  readonly folder?: string
}

export async function hostInBackground(name: BrokerName, version: string): Promise<Note> {
  const log = join(await notesFolder(), `${name}-${version}.log`)
  const output = openSync(log, 'w')
  const cli = fileURLToPath(new URL('./cli.ts', import.meta.url))
  const host = spawn(process.execPath, [cli, 'host', name, version], { detached: true, stdio: ['ignore', output, output] })
  closeSync(output)
  const ended = once(host, 'exit')
  for (;;) {
    const note = await readNote(noteFile(name, version))
    if (note && note.host === host.pid) {
      host.unref()
      return note
    }
    if (await Promise.race([ended, sleep(100)])) throw new Error(`It did not start:\n${await readFile(log, 'utf8')}`)
  }
}

/** The body of the background process: runs until it is told to stop. */
export async function host(name: BrokerName, version: string): Promise<void> {
  exitOnSignals()
  const broker = await startBroker(name, { version })
  const { url, managementUrl, folder } = broker
  const note = { name, version: broker.version, host: process.pid, url, managementUrl, folder }
  await writeFile(join(await notesFolder(), `${name}-${version}.json`), JSON.stringify(note))
  await new Promise(() => setInterval(() => {}, 2 ** 30))
}

/** Ends the host, and with it the broker; then removes what both left. Tells whether it ran. */
export async function stopHosted(name: BrokerName, version: string): Promise<boolean> {
  const file = noteFile(name, version)
  const note = await readNote(file)
  if (note === undefined) return false
  const ran = isAlive(note.host)
  if (ran) process.kill(note.host, 'SIGTERM')
  while (isAlive(note.host)) await sleep(20)
  if (note.folder) await rm(note.folder, { recursive: true, force: true, maxRetries: 20 })
  await rm(file, { force: true })
  return ran
}

export async function hostedBrokers(): Promise<readonly Note[]> {
  const folder = await notesFolder()
  const files = (await readdir(folder)).filter((file) => file.endsWith('.json'))
  const notes = await Promise.all(files.map((file) => readNote(join(folder, file))))
  return notes.filter((note) => note !== undefined).filter((note) => isAlive(note.host))
}

async function notesFolder(): Promise<string> {
  const folder = join(cacheFolder(), 'running')
  await mkdir(folder, { recursive: true })
  return folder
}

function noteFile(name: BrokerName, version: string): string {
  return join(cacheFolder(), 'running', `${name}-${version}.json`)
}

async function readNote(file: string): Promise<Note | undefined> {
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch {
    return undefined
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch {
    return false
  }
}

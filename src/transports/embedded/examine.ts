import { existsSync, statfsSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { hasCode, RedriveError } from '../../core/errors.ts'
import { checkSchema, pragma } from '../../platform/sqlite/store-schema.ts'
import { type Diagnosis, diagnosisOf, type Patient } from '../tools.ts'
import { type EmbeddedOptions, embedded } from './embedded.ts'
import { resolveOptions } from './options.ts'
import { queueSchema } from './schema.ts'

/** Looks at a database file and what it stands on, and changes neither. */
export async function examine(options: unknown, patient: Patient): Promise<readonly Diagnosis[]> {
  const { file, durability } = resolveOptions(options as EmbeddedOptions)
  const folder = dirname(file)
  if (!existsSync(folder)) throw new RedriveError('unreachable', `The folder ${folder} does not exist; create it first.`)
  const { type, bavail, bsize } = statfsSync(folder)
  const surroundings = [powerLoss(durability), fileSystem(type), disk(bavail * bsize, sizeOf(file))]
  const store = existsSync(file) ? schema(file) : undefined
  if (store?.severity === 'fatal') return [store, ...surroundings]
  return [...(store ? [store] : []), ...surroundings, ...(await topology(options, patient))]
}

export function powerLoss(durability: 'full' | 'normal'): Diagnosis {
  const [about, what] = ['store', 'durability'] as const
  if (durability === 'full')
    return { severity: 'fine', about, what, message: 'What was acknowledged survives a power failure (synchronous = FULL).' }
  const message = "durability is 'normal': a power failure loses acknowledged messages. Use 'full', unless they may be lost."
  return { severity: 'warning', about, what: 'durability-normal', message }
}

/** Numbers by which Linux knows file systems. Other systems use other numbers, and are not taken for these. */
const inMemory = new Map([
  [0x01021994, 'tmpfs'],
  [0x858458f6, 'ramfs'],
])
const remote = new Map([
  [0x6969, 'NFS'],
  [0xff534d42, 'CIFS'],
  [0xfe534d42, 'SMB'],
  [0x01021997, '9P'],
])

export function fileSystem(type: number): Diagnosis {
  const about = 'store'
  const [lost, far] = [inMemory.get(type), remote.get(type)]
  if (lost !== undefined) {
    const message = `The file is on ${lost}, which is memory: a reboot loses every message. Move it to a disk.`
    return { severity: 'fatal', about, what: 'file-system-in-memory', message }
  }
  if (far !== undefined) {
    const message = `The file is on ${far}: locks and shared memory do not work there between machines. Move it to a local disk.`
    return { severity: 'fatal', about, what: 'file-system-remote', message }
  }
  return { severity: 'fine', about, what: 'file-system', message: 'The file system is neither in memory nor remote.' }
}

/** The log beside the file can become as large as what one burst writes; below this there is no room for one. */
const leastFree = 100 * 1024 * 1024

export function disk(free: number, size: number): Diagnosis {
  const [about, needed] = ['store', Math.max(leastFree, size)]
  const shown = `${Math.floor(free / 1024 / 1024)} MiB are free on the disk`
  if (free >= needed) return { severity: 'fine', about, what: 'disk', message: `${shown}.` }
  const message = `${shown}, less than ${Math.ceil(needed / 1024 / 1024)} MiB: when it is full, nothing more is taken. Make room.`
  return { severity: 'warning', about, what: 'disk-nearly-full', message }
}

function sizeOf(file: string): number {
  return existsSync(file) ? statSync(file).size : 0
}

function schema(file: string): Diagnosis {
  const about = 'store'
  try {
    const db = new DatabaseSync(file, { readOnly: true })
    try {
      checkSchema(db, queueSchema, file)
      const message = `The schema has version ${pragma(db, 'user_version')} of ${queueSchema.versions.length}.`
      return { severity: 'fine', about, what: 'schema', message }
    } finally {
      db.close()
    }
  } catch (error) {
    if (hasCode(error, 'store-newer') || hasCode(error, 'bad-option'))
      return { severity: 'fatal', about, what: error.code, message: error.message }
    return {
      severity: 'fatal',
      about,
      what: 'store-unreadable',
      message: `${file} cannot be read as a database: restore a copy.`,
    }
  }
}

async function topology(options: unknown, { wanted }: Patient): Promise<readonly Diagnosis[]> {
  const transport = embedded(options as EmbeddedOptions)
  try {
    return (await transport.provision(wanted, 'check')).map(diagnosisOf)
  } finally {
    await transport.close()
  }
}

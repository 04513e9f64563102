import type { Files } from '../../../src/core/ports.ts'
import { decodeFrames, encodeFrames } from '../../../src/runtime/spool/frames.ts'
import type { Transport } from '../../../src/transports/seam.ts'
import type { Plant } from '../plant.ts'
import { simChannels } from '../script.ts'

/** Mistakes that a spool can make, each as the real spool on files or a channel that do for it what it would have done wrong. */
export const spoolBugs: Readonly<Record<string, Plant>> = {
  'completes the source before the content of its spool is synced': {
    files: (files) => ({ ...files, create: async (path) => ({ ...(await files.create(path)), sync: async () => {} }) }),
  },
  'completes the source before the name of its spool file is synced': {
    files: (files) => ({ ...files, syncFolder: async () => {} }),
  },
  'writes its spool where the reader already looks': { files: writesInPlace },
  'takes a full disk for a written letter': {
    files: (files) => ({
      ...files,
      async create(path) {
        const file = await files.create(path)
        return { ...file, write: (content) => file.write(content).catch(() => {}) }
      },
    }),
  },
  'removes a spool file before its letters are confirmed': {
    files: (files) => ({
      ...files,
      async read(path) {
        const content = await files.read(path)
        await files.remove(path).catch(() => {})
        return content
      },
    }),
  },
  'forgets a spooled letter after a drain that failed': { transport: forgetsAfterFailedDrain },
  'drains its spool newest first': {
    files: (files) => ({
      ...files,
      read: async (path) => encodeFrames(decodeFrames(await files.read(path)).contents.toReversed()),
    }),
  },
  'drops a refused letter that it was to keep': { options: (healthy) => ({ ...healthy, onDeadLetterFailure: 'drop' }) },
  'leaves the spool of a dead process alone': { files: seesNoOldLetters },
}

/** Under its last name from the beginning, so that a crash leaves half of it there. */
function writesInPlace(files: Files): Files {
  const lastName = (path: string): string => path.replace(/\.new$/, '')
  return {
    ...files,
    create: (path) => files.create(lastName(path)),
    rename: async (from, to) => (lastName(from) === to ? undefined : files.rename(from, to)),
  }
}

/** The first refusal puts a letter into the spool; the second one comes while it is drained. */
function forgetsAfterFailedDrain(transport: Transport): Transport {
  const refusals = new Map<string, number>()
  return {
    ...transport,
    async send(address, message, options) {
      const id = message.id ?? ''
      const isLetter = address.name !== simChannels.work
      if (isLetter && (refusals.get(id) ?? 0) > 1) return { duplicate: false }
      try {
        return await transport.send(address, message, options)
      } catch (error) {
        if (isLetter) refusals.set(id, (refusals.get(id) ?? 0) + 1)
        throw error
      }
    },
  }
}

function seesNoOldLetters(files: Files): Files {
  const own = new Set<string>()
  return {
    ...files,
    list: async (folder) => (await files.list(folder)).filter(({ name }) => !name.endsWith('.letters') || own.has(name)),
    async create(path) {
      own.add(path)
      return files.create(path)
    },
  }
}

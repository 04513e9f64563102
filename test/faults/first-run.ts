import { mkdirSync, writeFileSync } from 'node:fs'

/**
 * Whether nobody has run it before, whoever shares the log. Asked of the world, and not of the number of the attempt: a broker may count too low
 * where a message changes hands, and a handler that fails by that number would then fail more often than it is meant to.
 */
export function isFirstRun(log: string, number: number): boolean {
  const folder = `${log}.runs`
  mkdirSync(folder, { recursive: true })
  try {
    writeFileSync(`${folder}/${number}`, '', { flag: 'wx' })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}

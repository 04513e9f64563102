import type { Logger } from '../runtime/logger.ts'

/** Writes to the user's logger. One that throws must not keep an alert from being sent. */
export type Log = (level: 'info' | 'error', fields: object, message: string) => void

export function logTo(logger: Logger): Log {
  return (level, fields, message) => {
    try {
      logger[level](fields, message)
    } catch {}
  }
}

/** The part of pino's interface that Redrive uses; pino fits as it is. */
export interface Logger {
  debug(fields: object, message: string): void
  info(fields: object, message: string): void
  warn(fields: object, message: string): void
  error(fields: object, message: string): void
  fatal(fields: object, message: string): void
  child(fields: object): Logger
}

const levels = { debug: 20, info: 30, warn: 40, error: 50, fatal: 60 } as const

/** One JSON line a record on standard error, in pino's shape, for those who bring no logger of their own. */
export function jsonLogger(write: (line: string) => void, now: () => number, fields: object = {}): Logger {
  const at = (level: number) => (own: object, message: string) =>
    write(JSON.stringify({ level, time: now(), ...fields, ...own, msg: message }))
  return {
    debug: () => {},
    info: at(levels.info),
    warn: at(levels.warn),
    error: at(levels.error),
    fatal: at(levels.fatal),
    child: (own) => jsonLogger(write, now, { ...fields, ...own }),
  }
}

export const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  fatal: () => {},
  child: () => silentLogger,
}

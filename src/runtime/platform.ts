import type { Clock, NewId, Random } from '../core/ports.ts'
import { newUuid, systemRandom } from '../platform/chance.ts'
import { systemClock } from '../platform/clock.ts'

/** Everything the runtime asks of the world besides its transport. The simulator brings its own. */
export interface Platform {
  readonly clock: Clock
  readonly random: Random
  readonly newId: NewId
  /** Ends the process: the last answer to a handler that ignores its signal. */
  readonly exit: (code: number) => void
  readonly writeLog: (line: string) => void
}

export function systemPlatform(): Platform {
  return {
    clock: systemClock,
    random: systemRandom,
    newId: newUuid,
    exit: (code) => process.exit(code),
    writeLog: (line) => void process.stderr.write(`${line}\n`),
  }
}

import type { Clock, Files, NewId, PostJson, Random, WatchLoop } from '../core/ports.ts'
import { newUuid, systemRandom } from '../platform/chance.ts'
import { systemClock } from '../platform/clock.ts'
import { systemFiles } from '../platform/files.ts'
import { watchLoop } from '../platform/loop-watch.ts'
import { postJson } from '../platform/post-json.ts'

/** Everything the runtime asks of the world besides its transport. The simulator brings its own. */
export interface Platform {
  readonly clock: Clock
  readonly random: Random
  readonly newId: NewId
  /** Where letters are spooled, for those who want that. */
  readonly files: Files
  /** Notices a handler that blocks the event loop, for those who want that. */
  readonly watchLoop: WatchLoop
  /** How a control plane is told, for those who have one. */
  readonly postJson: PostJson
  /** Ends the process: the last answer to a handler that ignores its signal. */
  readonly exit: (code: number) => void
  readonly writeLog: (line: string) => void
}

export function systemPlatform(): Platform {
  return {
    clock: systemClock,
    random: systemRandom,
    newId: newUuid,
    files: systemFiles,
    watchLoop,
    postJson,
    exit: (code) => process.exit(code),
    writeLog: (line) => void process.stderr.write(`${line}\n`),
  }
}

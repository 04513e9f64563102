import { headOf } from '../error-head.ts'
import { dotnetFrame } from './dotnet-frames.ts'
import type { Frame, FrameReader, StackLanguage } from './frame.ts'
import { goFrame } from './go-frames.ts'
import { javaFrame } from './java-frames.ts'
import { nodeFrame } from './node-frames.ts'
import { pythonFrame } from './python-frames.ts'

/** One error of a stack trace: what it said, and where it was thrown, innermost frame first. */
export interface TracedError {
  readonly type?: string
  readonly message?: string
  readonly frames: readonly Frame[]
}

export interface Trace {
  readonly language?: StackLanguage
  /** From the error that was thrown last to the one that it was caused by. */
  readonly errors: readonly TracedError[]
}

/** Stack traces are a few KiB; what goes on for longer repeats itself. */
const lookedAt = 262_144
const mostLines = 4000
const longestLine = 2048

/** In the order in which they are asked: the later ones take more for a frame. */
const readers: readonly (readonly [StackLanguage, FrameReader])[] = [
  ['python', pythonFrame],
  ['node', nodeFrame],
  ['java', javaFrame],
  ['dotnet', dotnetFrame],
  ['go', goFrame],
]

/** Reads the stack traces of five languages without being told which it is. Never throws; what is no frame is passed over. */
export function readStack(stack: string): Trace {
  const reading = startReading()
  const lines = stack.slice(0, lookedAt).split('\n', mostLines)
  for (const [index, line] of lines.entries()) {
    const [raw, next] = [tidy(line), tidy(lines[index + 1] ?? '')]
    const found = frameIn(raw.trim(), next)
    if (found === undefined) reading.text(raw)
    else reading.frame(...found)
  }
  return reading.end()
}

function tidy(line: string): string {
  // Node opens a brace behind the last frame of an error that has more to say.
  return line.slice(0, longestLine).replace(/(?: \{)?\r?$/, '')
}

function frameIn(line: string, next: string): readonly [StackLanguage, Frame] | undefined {
  for (const [language, read] of readers) {
    const frame = read(line, next)
    if (frame !== undefined) return [language, frame]
  }
  return undefined
}

/** Java indents the causes of what it only mentions; .NET and Node indent all of them. */
const causedBy = /^(?:Caused by: |\s*-+> (?:\(Inner Exception #\d+\) )?|\s*\[cause\]: )(.+)$/
/** Where the frames of an error go that was only mentioned. */
const nowhere = -1

interface OpenError {
  type?: string
  message?: string
  frames: Frame[]
}

/** The lines between frames say where one error ends and the one that caused it begins, in each language in its own way. */
function startReading() {
  let language: StackLanguage | undefined
  let errors: OpenError[] = [{ frames: [] }]
  let current = 0
  let isOver = false

  const open = (error: OpenError): void => {
    current = errors.push(error) - 1
  }

  return {
    frame(of: StackLanguage, frame: Frame): void {
      language ??= of
      if (of !== language || isOver) return
      const { frames } = errors[current] ?? { frames: [] }
      // Python writes the innermost call last.
      if (of === 'python') frames.unshift(frame)
      else frames.push(frame)
    },

    text(line: string): void {
      const [, heading] = causedBy.exec(line) ?? []
      if (heading !== undefined) open({ ...headOf(heading), frames: [] })
      else if (/^\s*--- End of inner exception/.test(line)) current = Math.max(0, current - 1)
      // What was thrown while something else was handled is its own cause; what was raised from something else is not.
      else if (/^During handling of the above exception/.test(line)) errors = [{ frames: [] }]
      else if (/^The above exception was the direct cause/.test(line)) errors.unshift({ frames: [] })
      else if (/^\s+Suppressed: /.test(line)) current = nowhere
      else if (/^goroutine \d+ /.test(line)) isOver = errors.some(({ frames }) => frames.length > 0)
      else if (language === 'python' && errors[0] && errors[0].type === undefined && /^\S/.test(line)) {
        Object.assign(errors[0], headOf(line))
      }
    },

    end(): Trace {
      return { ...(language !== undefined && { language }), errors }
    },
  }
}

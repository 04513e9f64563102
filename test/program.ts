import { type ChildProcess, spawn } from 'node:child_process'

/** A program of ours that runs as its reader would run it, with everything that it prints. */
export interface RunningProgram {
  readonly child: ChildProcess
  readonly output: () => string
  /** Resolves when the output holds the text. */
  readonly shows: (text: string | RegExp) => Promise<void>
  readonly exit: Promise<number | null>
}

export interface ProgramOptions {
  readonly cwd?: string
  readonly env?: Readonly<Record<string, string>>
}

export function startProgram(file: string, args: readonly string[], { cwd, env }: ProgramOptions = {}): RunningProgram {
  const child = spawn(process.execPath, [file, ...args], { cwd, env: { ...process.env, ...env } })
  let output = ''
  const waiting = new Set<() => void>()
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => {
      output += chunk
      for (const look of waiting) look()
    })
  }
  const exit = new Promise<number | null>((done) => child.once('close', done))
  return {
    child,
    output: () => output,
    exit,
    shows: (text) =>
      new Promise((found, failed) => {
        const look = (): void => {
          if (!(typeof text === 'string' ? output.includes(text) : text.test(output))) return
          waiting.delete(look)
          found()
        }
        waiting.add(look)
        void exit.then(() => failed(new Error(`It ended without showing ${text}:\n${output}`)))
        look()
      }),
  }
}

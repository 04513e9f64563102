import { spawn } from 'node:child_process'

export interface RunResult {
  readonly code: number
  readonly output: string
}

/**
 * Runs a program to its end and gives what it printed; `show` lets it be seen while it runs. One that has not ended after `patience`
 * milliseconds is told to end, which is a failure that says so.
 */
export function run(
  command: string,
  args: readonly string[],
  options: { show?: boolean; env?: NodeJS.ProcessEnv; folder?: string; patience?: number } = {},
): Promise<RunResult> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, {
      env: { ...process.env, ...options.env },
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(options.folder !== undefined && { cwd: options.folder }),
    })
    let output = ''
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8')
      stream.on('data', (chunk: string) => {
        output += chunk
        if (options.show) process.stdout.write(chunk)
      })
    }
    const { patience } = options
    const impatience = patience === undefined ? undefined : setTimeout(giveUp, patience, patience)
    function giveUp(waited: number): void {
      const told = `No end after ${Math.round(waited / 60_000)} minutes: ${[command, ...args].join(' ')}\n`
      output += told
      process.stdout.write(told)
      child.kill('SIGTERM')
    }
    child.once('error', reject)
    child.once('close', (code, signal) => {
      clearTimeout(impatience)
      resolve({ code: code ?? 1, output: signal ? `${output}\nIt was ended by ${signal}.` : output })
    })
  })
}

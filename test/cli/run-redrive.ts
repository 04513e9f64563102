import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { run } from '../../src/cli/program.ts'
import type { Entry } from '../../src/cli/report.ts'
import type { Terminal } from '../../src/cli/terminal.ts'
import { systemClock } from '../../src/platform/clock.ts'

/** A folder with a topology file, and the commands run in it as a person would, without a process. */
export interface Workplace {
  readonly folder: string
  write(name: string, content: unknown): void
  redrive(...args: readonly string[]): Promise<Ended>
  /** With `--json`: what was told, as `severity what`. */
  told(...args: readonly string[]): Promise<readonly string[]>
  remove(): void
}

/** Who sits in front of it, if anybody does. */
export type Person = Pick<Terminal, 'columns' | 'ask' | 'onInterrupt'>

export interface Ended {
  readonly status: number
  readonly out: string
  readonly err: string
}

export function workplace(environment: Readonly<Record<string, string>> = {}, person: Person = {}): Workplace {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-cli-'))

  async function redrive(...args: readonly string[]): Promise<Ended> {
    const written = { out: '', err: '' }
    const write = (stream: 'out' | 'err') => (text: string) => {
      written[stream] += text
    }
    const status = await run(args, { environment, folder, clock: systemClock, out: write('out'), err: write('err'), ...person })
    return { status, ...written }
  }

  return {
    folder,
    write: (name, content) =>
      writeFileSync(join(folder, name), typeof content === 'string' ? content : JSON.stringify(content, null, 2)),
    redrive,
    async told(...args) {
      const { out } = await redrive(...args, '--json')
      const { entries, error } = JSON.parse(out) as { entries?: readonly Entry[]; error?: { code: string; message: string } }
      if (entries) return entries.map(({ severity, what }) => `${severity} ${what}`)
      throw new Error(`${error?.code}: ${error?.message}`)
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}

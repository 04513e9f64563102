import type { Terminal } from '../terminal.ts'

/** Who sits in front of the terminal, as far as the system says. */
export function actorOf({ environment }: Pick<Terminal, 'environment'>): string {
  return environment['USER'] || environment['LOGNAME'] || environment['USERNAME'] || 'command line'
}

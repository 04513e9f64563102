import type { Command } from 'commander'
import { createProgram } from '../../src/cli/program.ts'
import { systemClock } from '../../src/platform/clock.ts'

const silent = { environment: {}, folder: '.', clock: systemClock, out: () => {}, err: () => {} }

/** What every command says about itself, as it says it. */
export function cliHelp(): string {
  return pages(
    createProgram(silent, () => {}),
    [],
  ).join('\n\n')
}

function pages(command: Command, parents: readonly string[]): readonly string[] {
  const path = [...parents, command.name()]
  let text = ''
  command.configureOutput({ writeOut: (part) => (text += part) }).outputHelp()
  return [
    `### \`${path.join(' ')}\`\n\n\`\`\`text\n${text.trim()}\n\`\`\``,
    ...command.commands.flatMap((inner) => pages(inner, path)),
  ]
}

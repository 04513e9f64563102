import { Argument, type Command } from 'commander'
import { exitCodes } from './exit-codes.ts'
import type { Terminal } from './terminal.ts'

const shells = ['bash', 'zsh', 'fish'] as const

export function addCompletion(parent: Command, terminal: Terminal, end: (status: number) => void): void {
  parent
    .command('completion')
    .addArgument(new Argument('<shell>', 'the shell to complete in').choices(shells))
    .summary('prints what makes a shell complete commands')
    .description('Prints a script that makes your shell complete commands and options.')
    .addHelpText(
      'after',
      '\nExamples:\n  redrive completion bash > /etc/bash_completion.d/redrive\n  redrive completion zsh > "$' +
        '{fpath[1]}/_redrive"\n  redrive completion fish > ~/.config/fish/completions/redrive.fish',
    )
    .action((shell: (typeof shells)[number]) => {
      terminal.out(scripts[shell](leaves(parent, [])))
      end(exitCodes.done)
    })
}

/** A command that does something, with the words that lead to it. */
interface Leaf {
  readonly path: readonly string[]
  readonly summary: string
  readonly options: readonly { readonly flag: string; readonly about: string }[]
}

function leaves(command: Command, path: readonly string[]): readonly Leaf[] {
  const own: Leaf = {
    path,
    summary: command.summary() || command.description(),
    options: command.options.flatMap(({ long, description }) => (long ? [{ flag: long, about: description }] : [])),
  }
  return [own, ...command.commands.flatMap((inner) => leaves(inner, [...path, inner.name()]))]
}

/** What may follow each sequence of words. */
function words(all: readonly Leaf[]): readonly (readonly [path: string, following: string])[] {
  return all.map(({ path, options }) => {
    const next = all.filter(
      (leaf) => leaf.path.length === path.length + 1 && path.every((word, index) => leaf.path[index] === word),
    )
    return [path.join(' '), [...next.map((leaf) => leaf.path.at(-1)), ...options.map(({ flag }) => flag), '--help'].join(' ')]
  })
}

function cases(all: readonly Leaf[]): string {
  return words(all)
    .map(([path, following]) => `    '${path}') words='${following}' ;;`)
    .join('\n')
}

/** Matches every path of commands, in the words of a `case`. */
function commandPattern(all: readonly Leaf[]): string {
  return all
    .slice(1)
    .map(({ path }) => `'${path.join(' ')}'`)
    .join(' | ')
}

/** The words before the one that is being typed, without options and their values, as far as they are commands. */
const bash = (all: readonly Leaf[]): string => `_redrive() {
  local path='' words='' word
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "$word" in -*) break ;; esac
    case "\${path:+$path }$word" in ${commandPattern(all)}) path="\${path:+$path }$word" ;; *) break ;; esac
  done
  case "$path" in
${cases(all)}
  esac
  COMPREPLY=($(compgen -W "$words" -- "\${COMP_WORDS[COMP_CWORD]}"))
}
complete -o default -F _redrive redrive
`

const zsh = (all: readonly Leaf[]): string => `#compdef redrive
_redrive() {
  local path_='' following='' word
  for word in "\${(@)words[2,CURRENT-1]}"; do
    case "$word" in -*) break ;; esac
    case "\${path_:+$path_ }$word" in ${commandPattern(all)}) path_="\${path_:+$path_ }$word" ;; *) break ;; esac
  done
  case "$path_" in
${cases(all).replaceAll(' words=', ' following=')}
  esac
  compadd -- \${=following}
  _files
}
compdef _redrive redrive
`

const fish = (all: readonly Leaf[]): string =>
  all
    .flatMap(({ path, summary, options }) => {
      const parents = path.slice(0, -1)
      const after = parents.length === 0 ? '__fish_use_subcommand' : `__fish_seen_subcommand_from ${parents.join(' ')}`
      const within = `__fish_seen_subcommand_from ${path.join(' ')}`
      return [
        ...(path.length > 0 ? [`complete -c redrive -n '${after}' -a ${path.at(-1)} -d '${quoted(summary)}'`] : []),
        ...(path.length > 0
          ? options.map(({ flag, about }) => `complete -c redrive -n '${within}' -l ${flag.slice(2)} -d '${quoted(about)}'`)
          : []),
      ]
    })
    .join('\n')
    .concat('\n')

function quoted(text: string): string {
  return text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")
}

const scripts: Readonly<Record<(typeof shells)[number], (all: readonly Leaf[]) => string>> = { bash, zsh, fish }

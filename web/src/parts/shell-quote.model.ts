/** One argument of a command in a shell; what a shell would read otherwise stands in single quotes. */
export function quoted(argument: string): string {
  if (/^[\w@%+=:,./-]+$/.test(argument)) return argument
  return `'${argument.replaceAll("'", `'\\''`)}'`
}

/** A filter as the command line takes it: one that begins with a minus stands after `--`. */
export function filterArgument(filter: string): string {
  if (filter === '') return ''
  return filter.startsWith('-') ? `-- ${quoted(filter)}` : quoted(filter)
}

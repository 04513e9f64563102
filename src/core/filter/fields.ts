/** What `has:` may ask for: whatever many letters are without. */
export const havings = ['key', 'correlation', 'note'] as const
export type Having = (typeof havings)[number]

/**
 * Every field of the filter language, in one closed table: what it means and what kind of value it takes. The page for users is written from
 * it. `header.<name>` and text without a field are part of the grammar, and stand in no table.
 */
export const fields = {
  id: { kind: 'id', means: 'The id of the letter.', example: 'id:4711' },
  state: { kind: 'word', means: 'Where the letter stands.', example: 'state:open,unknown' },
  source: { kind: 'name', means: 'The dead-letter channel in which it was found.', example: 'source:dlq.*' },
  channel: { kind: 'name', means: 'The channel that the message came from.', example: 'channel:orders' },
  connection: { kind: 'name', means: 'The connection of the source, as the configuration names it.', example: 'connection:shop' },
  cause: {
    kind: 'beginning',
    means:
      'The fingerprint of the letter or of the cause that it stands under, or the beginning of one, with or without its version.',
    example: 'cause:3f2a',
  },
  under: {
    kind: 'id',
    means: 'The cause that it stands under, by its number: what was merged into it included, what was split out of it not.',
    example: 'under:7',
  },
  reason: { kind: 'name', means: 'Why it was given up.', example: 'reason:MaxDelivery*' },
  error: { kind: 'name', means: 'The type of the error.', example: 'error:*TimeoutException' },
  dialect: { kind: 'name', means: 'Whose way of writing letters it is written in.', example: 'dialect:spring-*' },
  type: { kind: 'name', means: 'The type of the message.', example: 'type:order.*' },
  key: { kind: 'id', means: 'The key of the message.', example: 'key:customer-7' },
  correlation: { kind: 'id', means: 'The correlation id.', example: 'correlation:c-981' },
  message: { kind: 'id', means: 'The id that the producer gave the message.', example: 'message:m-1' },
  letter: { kind: 'id', means: 'The `redrive-letter` id, which all copies of one dead letter share.', example: 'letter:5e0c' },
  service: { kind: 'name', means: 'The service that gave up.', example: 'service:billing' },
  version: { kind: 'name', means: 'The version of that service.', example: 'version:2.4.*' },
  owner: { kind: 'name', means: 'Who looks after the cause.', example: 'owner:ana' },
  replay: { kind: 'id', means: 'The id of a replay that the letter is or was part of.', example: 'replay:12' },
  attempts: { kind: 'number', means: 'How often it was handed to a handler.', example: 'attempts>=3' },
  size: { kind: 'size', means: 'The size of the body.', example: 'size>64KiB' },
  age: { kind: 'duration', means: 'The time since it failed.', example: 'age>1h' },
  failed: { kind: 'time', means: 'When it failed.', example: 'failed>=2026-11-16' },
  received: { kind: 'time', means: 'When it was found in its source.', example: 'received<2026-11-16T09:30Z' },
  has: { kind: 'word', means: 'Whether there is such a thing.', example: '-has:correlation' },
  body: { kind: 'text', means: 'Words in the body.', example: 'body:"card declined"' },
} as const

export type FieldName = keyof typeof fields
export type Kind = (typeof fields)[FieldName]['kind']
export type FieldOf<K extends Kind> = { [F in FieldName]: (typeof fields)[F]['kind'] extends K ? F : never }[FieldName]

export const fieldNames: readonly FieldName[] = Object.keys(fields) as FieldName[]

export function isField(name: string): name is FieldName {
  return Object.hasOwn(fields, name)
}

export function isOfKind<K extends Kind>(name: FieldName, kind: K): name is FieldOf<K> {
  return fields[name].kind === kind
}

export type Operator = ':' | '<' | '<=' | '>' | '>='

/** What a field of each kind may be asked, and with what. */
export const kinds: Readonly<Record<Kind, { readonly operators: readonly Operator[]; readonly takes: string }>> = {
  id: { operators: [':'], takes: 'one or more ids, exactly as they are' },
  name: { operators: [':'], takes: 'one or more names, in which `*` stands for any characters' },
  word: { operators: [':'], takes: 'one or more of its words' },
  beginning: { operators: [':'], takes: 'one or more beginnings' },
  number: { operators: [':', '<', '<=', '>', '>='], takes: 'a whole number' },
  size: { operators: [':', '<', '<=', '>', '>='], takes: 'a number of bytes, or a size such as `64KiB` or `1MB`' },
  duration: { operators: ['<', '<=', '>', '>='], takes: 'a duration such as `90s`, `1h30m` or `2d`' },
  time: {
    operators: ['<', '<=', '>', '>='],
    takes: 'a date or a time such as `2026-11-16`, `2026-11-16T09:30Z` or `2026-11-16T09:30:00+01:00`',
  },
  text: { operators: [':'], takes: 'a word or a "quoted phrase"' },
}

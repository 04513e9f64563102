import type { RheaMessages, RheaTypes, Typed } from './rhea.ts'

/**
 * The SDK gives application properties as plain values: whether a 7 was an int, a long or a double is lost, and a long beyond 2^53
 * looks like eight bytes. So the bytes of a message are remembered beside its decoded properties, for as long as somebody has those.
 */
const encoded = new WeakMap<object, Buffer>()
const watched = new WeakSet<RheaMessages>()

export function watchDecoding(messages: RheaMessages): void {
  if (watched.has(messages)) return
  watched.add(messages)
  const decode = messages.decode
  messages.decode = (bytes) => {
    const decoded = decode.call(messages, bytes)
    const { application_properties: properties } = decoded
    if (properties && needsTypes(properties)) encoded.set(properties, bytes)
    return decoded
  }
}

/** Text and truth values tell their types by themselves, and nearly all properties are text. */
export function needsTypes(properties: object): boolean {
  for (const value of Object.values(properties)) if (typeof value === 'number' || typeof value === 'object') return true
  return false
}

const applicationProperties = 0x74

/** The same properties with their types; nothing where the bytes are not known. */
export function typedProperties(types: RheaTypes, properties: object): ReadonlyMap<string, Typed> | undefined {
  const bytes = encoded.get(properties)
  if (bytes === undefined) return undefined
  const reader = new types.Reader(bytes)
  while (reader.remaining() > 0) {
    const section = reader.read()
    if (Number(section.descriptor?.value) === applicationProperties) return entriesOf(section.value as readonly Typed[])
  }
  return undefined
}

function entriesOf(flat: readonly Typed[]): ReadonlyMap<string, Typed> {
  const entries = new Map<string, Typed>()
  for (let index = 0; index + 1 < flat.length; index += 2) {
    const [name, value] = [flat[index], flat[index + 1]]
    if (name && value) entries.set(String(name.value), value)
  }
  return entries
}

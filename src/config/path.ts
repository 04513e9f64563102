import { visible } from '../core/visible.ts'

/** Keys and indexes from the top of a document to a value in it. */
export type Path = readonly (string | number)[]

/** As people write it: `sources[0].returnTo`. */
export function pathText(path: Path): string {
  return path.map((step, index) => stepText(step, index)).join('')
}

function stepText(step: string | number, index: number): string {
  if (typeof step === 'number') return `[${step}]`
  if (!/^[\w$-]{1,60}$/.test(step)) return `[${JSON.stringify(visible(step.slice(0, 60)))}]`
  return index === 0 ? step : `.${step}`
}

/** What may be, or hold, a password. Values of such fields are never shown. */
const secretName = /url|issuer|pass|secret|token|credential|key|connection_?string|sasl/i

export function isSecret(path: Path): boolean {
  // Its names are the user's own, and what a collector is sent there is mostly a token.
  if (path[0] === 'otlp' && path[1] === 'headers') return true
  return path.some((step) => typeof step === 'string' && secretName.test(step))
}

/** Mappings that hold secrets, and how deep they stand: those of connections and notifiers have names. */
const depths: Readonly<Record<string, number>> = { encryption: 1, otlp: 1, connections: 2, notifiers: 2 }

/** Where a mapping belongs that holds one, a text may be the secret itself. */
export function maySaySecret(path: Path): boolean {
  const [top] = path
  return top !== undefined && path.length <= (depths[top] ?? 0)
}

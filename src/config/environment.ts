export type Environment = Readonly<Record<string, string | undefined>>

/** `${NAME}`, `${NAME:-default}`; a second dollar sign before it keeps it as it is. */
const placeholder = /(\$?)\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

export interface Filled {
  readonly text: string
  /** Whether anything in it comes from the environment, or its default: such a text may be a secret. */
  readonly isFilled: boolean
  /** Variables that are not set and have no default. */
  readonly missing: readonly string[]
}

/** Fills the placeholders of one text, so that no value can become more than text. */
export function fillPlaceholders(text: string, environment: Environment): Filled {
  const missing: string[] = []
  let isFilled = false
  const filled = text.replace(placeholder, (whole, dollar: string, name: string, fallback: string | undefined) => {
    if (dollar !== '') return whole.slice(1)
    isFilled = true
    const found = Object.hasOwn(environment, name) ? environment[name] : undefined
    if (found === undefined && fallback === undefined) missing.push(name)
    return found ?? fallback ?? ''
  })
  return { text: filled, isFilled, missing }
}

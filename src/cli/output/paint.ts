import { styleText } from 'node:util'
import type { Terminal } from '../terminal.ts'

type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan'

/** Gives text a colour where somebody sees it. Only what is ours or has been made visible may be painted. */
export type Paint = (style: Style | undefined, text: string) => string

/** Colours are for screens, and not for people who asked for none (no-color.org). */
export function paintFor({ columns, environment }: Terminal): Paint {
  const wanted = columns !== undefined && !environment['NO_COLOR'] && environment['TERM'] !== 'dumb'
  return (style, text) => (wanted && style ? styleText(style, text, { validateStream: false }) : text)
}

const stateStyles: Readonly<Record<string, Style>> = {
  open: 'red',
  unknown: 'red',
  outage: 'red',
  'held-up': 'red',
  stopped: 'red',
  missed: 'red',
  returned: 'yellow',
  replaying: 'yellow',
  sent: 'yellow',
  running: 'yellow',
  paused: 'yellow',
  scheduled: 'yellow',
  acknowledged: 'yellow',
  succeeded: 'green',
  assumed: 'green',
  resolved: 'green',
  done: 'green',
  reporting: 'green',
  consuming: 'green',
}

/** What asks for somebody is red, what is on its way yellow, what is well green; the rest is dim. */
export function styleOfState(state: string): Style {
  return stateStyles[state] ?? 'dim'
}

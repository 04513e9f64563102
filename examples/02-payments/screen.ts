import { styleText } from 'node:util'
import { finished, type Tally } from './tally.ts'

/** A log that scrolls, and on a terminal a status line that stays below it. Colours only where somebody can see them. */
export interface Screen {
  log(kind: keyof typeof colours, text: string): void
  status(tally: Tally): void
  /** Takes the status line away, so that what follows starts on a clean line. */
  end(): void
}

const colours = {
  start: 'bold',
  created: 'gray',
  trying: 'gray',
  settled: 'green',
  retry: 'yellow',
  buried: 'red',
  dead: 'red',
  alert: 'red',
  invalid: 'magenta',
  stop: 'bold',
} as const

export function createScreen(output: NodeJS.WriteStream): Screen {
  const sticky = output.isTTY
  let shown = ''
  const paint = (colour: Parameters<typeof styleText>[0], text: string): string => styleText(colour, text, { stream: output })
  const clear = (): string => (sticky && shown !== '' ? '\r\x1b[K' : '')

  return {
    log(kind, text) {
      const line = `${new Date().toISOString().slice(11, 23)} ${paint(colours[kind], kind.padEnd(8))} ${text}\n`
      output.write(`${clear()}${line}${sticky ? shown : ''}`)
    },
    status(tally) {
      const line = statusLine(tally, paint)
      if (sticky) output.write(`${clear()}${line}`)
      else if (line !== shown) output.write(`${line}\n`)
      shown = line
    },
    end() {
      output.write(clear())
      shown = ''
    },
  }
}

function statusLine(tally: Tally, paint: (colour: 'green' | 'red', text: string) => string): string {
  const letters = paint(tally.lettersInDlq === 0 ? 'green' : 'red', `DLQ ${tally.lettersInDlq ?? 'unknown'}`)
  return `status: created ${tally.created} | settled ${tally.settled} | retrying ${tally.retrying.size} | invalid ${tally.invalid} | ${letters}`
}

export function summary(tally: Tally): string {
  const { created, settled, dead, invalid, lettersInDlq } = tally
  return [
    `summary: created ${created}, settled ${settled}, dead-lettered ${dead}, invalid ${invalid}, open ${Math.max(0, created - finished(tally))}`,
    `summary: the dead-letter channel holds ${lettersInDlq ?? 'an unknown number'}; the monitor consumed none`,
  ].join('\n')
}

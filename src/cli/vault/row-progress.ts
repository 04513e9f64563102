import { formatDuration } from '../../core/duration.ts'
import type { Terminal } from '../terminal.ts'

/** How far something has come that goes through the rows of tables. */
export interface RowNews {
  readonly doing: string
  readonly table: string
  readonly done: number
  readonly all: number
}

export interface RowProgress {
  show(news: RowNews): void
  end(): void
}

/** One line that is written over and over, on a screen; nowhere else. */
export function rowProgress(terminal: Terminal): RowProgress {
  if (terminal.columns === undefined) return { show() {}, end() {} }
  let doing: string | undefined
  let [begun, first] = [0, 0]
  return {
    show(news) {
      if (news.doing !== doing) {
        doing = news.doing
        begun = terminal.clock.monotonic()
        first = news.done
      }
      const seconds = (terminal.clock.monotonic() - begun) / 1000
      terminal.err(`\r\u001b[K${lineOf(news, seconds > 0 ? (news.done - first) / seconds : 0)}`)
    },
    end: () => terminal.err('\r\u001b[K'),
  }
}

/** What is not known yet is left out. */
export function lineOf({ doing, table, done, all }: RowNews, rate: number): string {
  const left = rate > 0 ? `, about ${formatDuration(Math.ceil(Math.max(0, all - done) / rate) * 1000)} left` : ''
  return `${doing} ${table}: ${done.toLocaleString('en-US')} of ${all.toLocaleString('en-US')} rows, ${Math.round(rate).toLocaleString('en-US')} a second${left}`
}

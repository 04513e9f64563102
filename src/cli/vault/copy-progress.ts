import { formatDuration } from '../../core/duration.ts'
import type { CopyNews } from '../../vault/copy/outcome.ts'
import type { Terminal } from '../terminal.ts'

export interface CopyProgress {
  show(news: CopyNews): void
  end(): void
}

/** One line that is written over and over, on a screen; nowhere else. */
export function copyProgress(terminal: Terminal): CopyProgress {
  if (terminal.columns === undefined) return { show() {}, end() {} }
  let doing: CopyNews['doing'] | undefined
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
export function lineOf({ doing, table, done, all }: CopyNews, rate: number): string {
  const left = rate > 0 ? `, about ${formatDuration(Math.ceil(Math.max(0, all - done) / rate) * 1000)} left` : ''
  return `${doing} ${table}: ${done.toLocaleString('en-US')} of ${all.toLocaleString('en-US')} rows, ${Math.round(rate).toLocaleString('en-US')} a second${left}`
}

import { formatDuration } from '../../core/duration.ts'
import { RedriveError } from '../../core/errors.ts'
import { visibleJson } from '../../core/visible.ts'
import type { ReplayDetail } from '../../ops/control-plane.ts'
import { exitCodes } from '../exit-codes.ts'
import type { Desk } from '../plane/desk.ts'
import type { Terminal } from '../terminal.ts'
import { describeReplay, exitCodeOfReplay } from './outcome.ts'

const lookEvery = 250

/**
 * Stays with a running replay until it has ended, and tells how it goes where somebody sees it. Ctrl-C pauses it: what was sent is sent, and
 * the rest waits for `replay-status --resume`.
 */
export async function follow(id: number, { plane, terminal, by }: Desk, json: boolean | undefined): Promise<number> {
  let interrupted = false
  let failed: string | undefined
  let wake: (() => void) | undefined
  const forget = [
    plane.onChange((change) => {
      if (change.kind === 'problem' && change.source === `replay ${id}`) failed = change.code
      wake?.()
    }),
    terminal.onInterrupt?.(() => {
      interrupted = true
      wake?.()
    }),
  ]
  const progress = createProgress(terminal)
  try {
    for (;;) {
      const detail = await plane.replays.show(id)
      progress.show(detail)
      if (detail.replay.state !== 'running') return tell(detail, exitCodeOfReplay(detail))
      if (failed !== undefined)
        throw new RedriveError('store-failed', `Replay ${id} could not go on (${failed}). It can be taken up again.`)
      if (interrupted) return tell(await plane.replays.pause(id, by), exitCodes.interrupted)
      await new Promise<void>((resolve) => {
        const cancel = terminal.clock.after(lookEvery, resolve)
        wake = () => {
          cancel()
          resolve()
        }
      })
    }
  } finally {
    for (const each of forget) each?.()
  }

  function tell(detail: ReplayDetail, status: number): number {
    progress.end()
    terminal.out(json ? `${visibleJson(detail)}\n` : describeReplay(detail, terminal))
    return status
  }
}

/** One line that is written over and over, on a screen; nowhere else. */
function createProgress(terminal: Terminal): { show(detail: ReplayDetail): void; end(): void } {
  if (terminal.columns === undefined) return { show() {}, end() {} }
  const begun = terminal.clock.monotonic()
  let first: number | undefined
  return {
    show({ replay, counts }) {
      const waiting = counts.planned + counts.claimed
      first ??= replay.letters - waiting
      const seconds = (terminal.clock.monotonic() - begun) / 1000
      const rate = seconds > 0 ? (replay.letters - waiting - first) / seconds : 0
      const left = rate > 0 ? `, about ${formatDuration(Math.ceil(waiting / rate) * 1000)} left` : ''
      const known = counts.succeeded + counts.assumed
      terminal.err(
        `\r\u001b[K${replay.letters - waiting} of ${replay.letters} sent, ${known} well, ${counts.returned} back, ${rate.toFixed(1)} a second${left}`,
      )
    },
    end: () => terminal.err('\r\u001b[K'),
  }
}

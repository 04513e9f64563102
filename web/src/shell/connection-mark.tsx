import { useConnection } from '../api/live.ts'

const marks = {
  live: { sign: '●', tone: 'text-good', text: 'Live' },
  connecting: { sign: '◐', tone: 'text-warn', text: 'Connecting…' },
  lost: { sign: '○', tone: 'text-bad', text: 'Not live' },
} as const

/** Whether what is shown follows what happens. */
export function ConnectionMark() {
  const { sign, tone, text } = marks[useConnection()]
  return (
    <p role="status" className={tone}>
      <span aria-hidden="true">{sign}</span> {text}
    </p>
  )
}

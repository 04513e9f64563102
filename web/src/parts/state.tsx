type Tone = 'bad' | 'warn' | 'good' | 'plain' | 'accent'

const tones: Readonly<Record<Tone, string>> = {
  bad: 'bg-bad-tint text-bad',
  warn: 'bg-warn-tint text-warn',
  good: 'bg-good-tint text-good',
  plain: 'bg-raised text-muted',
  accent: 'bg-tint text-accent',
}

/** Every state has a sign beside its colour: who does not see the one sees the other. */
const shown: Readonly<Record<string, readonly [tone: Tone, sign: string]>> = {
  open: ['bad', '●'],
  acknowledged: ['warn', '◐'],
  resolved: ['good', '✓'],
  archived: ['plain', '▭'],
  replaying: ['accent', '↻'],
  sent: ['accent', '→'],
  succeeded: ['good', '✓'],
  assumed: ['good', '≈'],
  returned: ['bad', '↩'],
  unknown: ['warn', '?'],
  discarded: ['plain', '✕'],
  expired: ['plain', '⌛'],
  sealing: ['accent', '…'],
  sealed: ['accent', '▣'],
  scheduled: ['accent', '◷'],
  missed: ['bad', '◷'],
  starting: ['accent', '…'],
  cancelling: ['plain', '…'],
  critical: ['bad', '▲'],
  warning: ['warn', '▲'],
  info: ['plain', 'i'],
  reporting: ['good', '●'],
  consuming: ['good', '●'],
  'held-up': ['warn', '‖'],
  outage: ['bad', '■'],
  running: ['accent', '▶'],
  paused: ['warn', '‖'],
  stopped: ['bad', '■'],
  done: ['good', '✓'],
  cancelled: ['plain', '✕'],
  planned: ['plain', '·'],
  claimed: ['accent', '↻'],
  refused: ['bad', '✕'],
  skipped: ['plain', '–'],
  attempted: ['plain', '…'],
  failed: ['bad', '✕'],
  denied: ['bad', '⊘'],
  regressed: ['bad', '↯'],
}

export function State({ of, text = of }: { readonly of: string; readonly text?: string }) {
  const [tone, sign] = shown[of] ?? ['plain', '·']
  return (
    <span className={`inline-flex items-center gap-1 rounded-full px-2 py-0.5 text-xs whitespace-nowrap ${tones[tone]}`}>
      <span aria-hidden="true">{sign}</span>
      {text}
    </span>
  )
}

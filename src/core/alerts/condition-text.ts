import { formatDuration } from '../duration.ts'
import type { Condition } from './condition.ts'

const shares = new Set(['diskFree', 'replayReturned', 'retentionUsed'])
const spans = new Set(['oldestAge', 'untilLoss', 'replayStuckFor', 'sinkFailingFor'])
const percent = (share: number): string => `${Math.round(share * 1000) / 10} %`

/** How long it must be so. */
export function spanText(ms: number): string {
  return ms === 0 ? 'at once' : formatDuration(ms)
}

/** When a rule holds, in words. `name` writes what is measured, and what stands in a file, as the place takes it. */
export function conditionText(condition: Condition, name: (measured: string) => string = (measured) => measured): string {
  switch (condition.kind) {
    case 'level': {
      const { of, is, limit, clear } = condition
      const shown = shares.has(of) ? percent(limit) : spans.has(of) ? formatDuration(limit) : limit.toLocaleString('en-US')
      return `${name(of)} is ${is} ${shown}${clear === undefined ? '' : `; clear below ${clear.toLocaleString('en-US')}`}`
    }
    case 'growth':
      return `letters grow by more than ${condition.limit} in ${formatDuration(condition.window)}, or by more than ${condition.timesUsual} times the median of the last ${formatDuration(condition.usualOver)} and ${condition.floor}`
    case 'ratio':
      return `${name(condition.of)} is above ${percent(condition.limit)} of ${name(condition.to)} within ${condition.windows.map(formatDuration).join(' and within ')}, of at least ${condition.minSamples}`
    case 'increase':
      return `${name(condition.of)} grew by more than ${condition.limit} within ${formatDuration(condition.window)}`
    case 'spike':
      return `${condition.newAtLeast} letters of a new cause within ${formatDuration(condition.window)}; or of a known one within an hour more than ${condition.timesUsual} times its hourly mean of seven days, and at least ${condition.floor}`
    case 'not-shrinking':
      return `${name(condition.of)} was never 0 and has not become smaller for ${formatDuration(condition.window)}`
    case 'failing-probe':
      return `${condition.inARow} looks in a row failed, or letters cannot be read`
    case 'broker-down':
      return `the last look at every source of a connection failed, ${condition.inARow} in a row at one of them`
    case 'no-consumer':
      return `${name('consumers')} is 0 and ${name('lag')} is not`
    case 'always':
      return `always; told every 5 minutes. Only with ${name('- id: watchdog')} in the configuration`
  }
}

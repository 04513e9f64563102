import { fits, type Matched, type Matcher } from './matcher.ts'
import { isProtected } from './silence.ts'

export const weekdays = ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] as const

export type Weekday = (typeof weekdays)[number]

/** A time that comes back every week, by the clock on somebody's wall: in their time zone, with its summer time. */
export interface MaintenanceWindow {
  readonly name: string
  readonly matchers: readonly Matcher[]
  /** The days on which it begins. */
  readonly days: readonly Weekday[]
  /** Minutes after midnight. Where it ends before it begins, it ends on the next day. */
  readonly from: number
  readonly to: number
  readonly timeZone: string
}

const day = 24 * 60

/** `now` is epoch milliseconds: what people call ten o'clock is the wall clock's. */
export function isWithin({ days, from, to, timeZone }: MaintenanceWindow, now: number): boolean {
  const { weekday, minute } = localTime(now, timeZone)
  const begins = (on: number): boolean => days.includes(weekdays[(on + weekdays.length) % weekdays.length] ?? 'mon')
  if (from < to) return begins(weekday) && minute >= from && minute < to
  return (begins(weekday) && minute >= from) || (begins(weekday - 1) && minute < to)
}

export function windowSilences(window: MaintenanceWindow, alert: Matched, now: number): boolean {
  return !isProtected(alert) && fits(window.matchers, alert) && isWithin(window, now)
}

const formats = new Map<string, Intl.DateTimeFormat>()

/** Making one costs more than everything else here. */
function formatOf(timeZone: string): Intl.DateTimeFormat {
  const known = formats.get(timeZone)
  if (known) return known
  const fresh = new Intl.DateTimeFormat('en-US', {
    timeZone,
    weekday: 'short',
    hour: '2-digit',
    minute: '2-digit',
    hourCycle: 'h23',
  })
  formats.set(timeZone, fresh)
  return fresh
}

function localTime(now: number, timeZone: string): { readonly weekday: number; readonly minute: number } {
  const parts = new Map(
    formatOf(timeZone)
      .formatToParts(now)
      .map(({ type, value }) => [type, value]),
  )
  const weekday = weekdays.indexOf((parts.get('weekday') ?? 'Mon').toLowerCase() as Weekday)
  return { weekday, minute: (Number(parts.get('hour')) * 60 + Number(parts.get('minute'))) % day }
}

export function isTimeZone(name: string): boolean {
  try {
    formatOf(name)
    return true
  } catch {
    return false
  }
}

import type { Answer } from '../../api/client.ts'
import type { Rule } from '../../api/rules.ts'

export type Rates = Answer<'GET /failure-rates'>
export type ChannelRates = Rates['channels'][number]

export interface Step {
  readonly at: number
  readonly handled: number
  readonly deadLettered: number
}

export interface Threshold {
  readonly rule: string
  readonly severity: Rule['severity']
  /** From 0 to 1. */
  readonly limit: number
}

/** The limits of the rules that compare what was dead-lettered with what was handled, the lowest first. */
export function thresholdsOf(rules: readonly Rule[]): readonly Threshold[] {
  return rules
    .flatMap(({ id, severity, condition }) => {
      const { kind, of, to, limit } = condition as Readonly<Record<string, unknown>>
      const compares = kind === 'ratio' && of === 'deadLetteredTotal' && to === 'handledTotal' && typeof limit === 'number'
      return compares ? [{ rule: id, severity, limit }] : []
    })
    .toSorted((one, other) => one.limit - other.limit)
}

/** Every step of the window, those at which nobody looked too, as 0 of 0. */
export function everyStep(
  channels: readonly ChannelRates[],
  { now, step }: Pick<Rates, 'now' | 'step'>,
  count: number,
): readonly Step[] {
  const last = Math.floor(now / step)
  const sums = new Map<number, Step>()
  for (const each of channels.flatMap(({ steps }) => steps)) {
    const place = Math.round(each.at / step)
    const { handled, deadLettered } = sums.get(place) ?? { handled: 0, deadLettered: 0 }
    sums.set(place, { at: each.at, handled: handled + each.handled, deadLettered: deadLettered + each.deadLettered })
  }
  return Array.from({ length: count }, (_, index) => {
    const place = last - count + 1 + index
    return sums.get(place) ?? { at: place * step, handled: 0, deadLettered: 0 }
  })
}

/** `undefined` where nothing was handled: no share of nothing is good or bad. */
export function shareOf({ handled, deadLettered }: Pick<Step, 'handled' | 'deadLettered'>): number | undefined {
  return handled === 0 ? undefined : Math.min(1, deadLettered / handled)
}

/** As a share of the height. Roots keep one percent apart from nothing where others are at a hundred. */
export function heightOf(share: number, top: number): number {
  return Math.sqrt(Math.min(share, top) / top)
}

/** What the full height means: something above every threshold and every share. */
export function topOf(steps: readonly Step[], thresholds: readonly Threshold[]): number {
  const most = Math.max(0.01, ...steps.map((step) => shareOf(step) ?? 0), ...thresholds.map(({ limit }) => limit))
  return Math.min(1, most * 1.2)
}

export function nameOf({ service, channel, group }: Pick<ChannelRates, 'service' | 'channel' | 'group'>): string {
  return group === null ? `${service}: ${channel}` : `${service}: ${channel} (${group})`
}

/** Channels by the share that they gave up in all of the window, the worst first. */
export function worstFirst(channels: readonly ChannelRates[]): readonly ChannelRates[] {
  const shares = new Map(channels.map((channel) => [channel, shareOf(totalOf(channel.steps)) ?? 0]))
  return channels.toSorted((one, other) => (shares.get(other) ?? 0) - (shares.get(one) ?? 0))
}

export function totalOf(steps: readonly Step[]): Pick<Step, 'handled' | 'deadLettered'> {
  return {
    handled: steps.reduce((sum, { handled }) => sum + handled, 0),
    deadLettered: steps.reduce((sum, { deadLettered }) => sum + deadLettered, 0),
  }
}

const percents = new Intl.NumberFormat('en', { style: 'percent', maximumSignificantDigits: 2 })

export function percentText(share: number): string {
  return percents.format(share)
}

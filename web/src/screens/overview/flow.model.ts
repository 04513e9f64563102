export interface FlowHour {
  readonly hour: number
  readonly arrived: number
  readonly settled: number
}

/** Every hour of the window, also those in which nothing happened. */
export function everyHour(known: readonly FlowHour[], now: number, length: number): readonly FlowHour[] {
  const byHour = new Map(known.map((each) => [each.hour, each]))
  return Array.from({ length }, (_, index) => {
    const hour = now - length + 1 + index
    return byHour.get(hour) ?? { hour, arrived: 0, settled: 0 }
  })
}

/** A round number at or above the largest bar, so that the scale can be read: 1, 2 or 5 times a power of ten. */
export function scaleOf(hours: readonly FlowHour[]): number {
  const most = Math.max(1, ...hours.flatMap(({ arrived, settled }) => [arrived, settled]))
  const power = 10 ** Math.floor(Math.log10(most))
  return ([1, 2, 5, 10].find((step) => step * power >= most) ?? 10) * power
}

const units = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['m', 60_000],
  ['s', 1000],
] as const

/** How long ago in one unit, as a glance needs it. What is in the future by another machine's clock is now. */
export function age(at: number, now: number): string {
  const passed = Math.max(0, now - at)
  const [unit, size] = units.find(([, ms]) => passed >= ms) ?? ['s', 1000]
  return `${Math.floor(passed / size)}${unit}`
}

export function timestamp(at: number): string {
  return new Date(at).toISOString()
}

export function many(count: number, what: string): string {
  return `${count.toLocaleString('en-US')} ${what}${count === 1 ? '' : 's'}`
}

const steps: readonly (readonly [unit: string, length: number])[] = [
  ['d', 86_400_000],
  ['h', 3_600_000],
  ['min', 60_000],
  ['s', 1000],
]

/** The largest unit, and nothing more exact than anybody needs: "3 min". */
export function durationText(milliseconds: number): string {
  const [unit, length] = steps.find(([, length]) => milliseconds >= length) ?? ['s', 1000]
  return `${Math.floor(Math.max(0, milliseconds) / length)} ${unit}`
}

export function agoText(at: number, now: number): string {
  return now - at < 5000 ? 'just now' : `${durationText(now - at)} ago`
}

/**
 * Time must grow with the length of the input and not with its square. Each case runs at n and at 4n in turn, and the least times are
 * compared: linear work takes four times as long, quadratic work sixteen times, and the bound lies as far from the one as from the
 * other. It is a ratio, so that a slow machine changes nothing, and what is measured is the time of the processor for this process, so
 * that a busy one does not either; it only asks for more rounds, whose least times are nearer to the truth, whichever it is.
 */
const rounds = { least: 5, most: 25 }
export const bound = 8
const whole = 1_048_576

export function growth(prepare: (n: number) => () => unknown): number {
  const small = prepare(whole / 4)
  const large = prepare(whole)
  const least = { small: Number.POSITIVE_INFINITY, large: Number.POSITIVE_INFINITY }
  const ratio = (): number => least.large / least.small
  for (let round = 0; round < rounds.least || (round < rounds.most && ratio() >= bound); round++) {
    least.small = Math.min(least.small, timed(small))
    least.large = Math.min(least.large, timed(large))
  }
  return ratio()
}

function timed(run: () => unknown): number {
  const start = process.cpuUsage()
  run()
  const { user, system } = process.cpuUsage(start)
  return Math.max(1, user + system)
}

export function filled(pattern: string, length: number): string {
  return pattern.repeat(Math.ceil(length / pattern.length)).slice(0, length)
}

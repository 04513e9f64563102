/** A number from the command line. A run that was told nonsense would do nothing, find nothing wrong, and look green. */
export function wholeNumber(option: string, text: string, least: number): number {
  const number = /^\d{1,15}$/.test(text) ? Number(text) : Number.NaN
  if (number >= least) return number
  throw new RangeError(`--${option} is ${JSON.stringify(text)}. Allowed: a whole number from ${least}.`)
}

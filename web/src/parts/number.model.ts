const grouped = new Intl.NumberFormat('en')

export function numberText(value: number): string {
  return grouped.format(value)
}

/** "1 letter", "2 letters". */
export function many(value: number, one: string, several = `${one}s`): string {
  return `${numberText(value)} ${value === 1 ? one : several}`
}

const units = ['B', 'KiB', 'MiB', 'GiB'] as const

export function bytesText(bytes: number): string {
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10))
  const value = bytes / 1024 ** power
  return `${power === 0 ? value : value.toFixed(1)} ${units[power]}`
}

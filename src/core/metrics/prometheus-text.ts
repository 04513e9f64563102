import type { Distribution, MetricFamily } from './metric-family.ts'

type Labels = Readonly<Record<string, string>>

/** The Prometheus text format, version 0.0.4. */
export function prometheusText(families: readonly MetricFamily[]): string {
  return families.map((family) => [...familyLines(family)].join('\n')).join('\n')
}

function* familyLines(family: MetricFamily): Generator<string> {
  const name = prometheusName(family)
  yield `# HELP ${name} ${family.help}`
  yield `# TYPE ${name} ${family.kind}`
  for (const { labels, value } of family.points) {
    if (typeof value === 'number') yield `${name}${labelText(labels)} ${value}`
    else yield* distributionLines(name, labels, value)
  }
  yield ''
}

/** As Prometheus itself names what comes to it by OTLP, so that a query finds the same series either way. */
function prometheusName({ name, kind, unit }: MetricFamily): string {
  const suffixes = [...(unit === 's' ? ['_seconds'] : []), ...(kind === 'counter' ? ['_total'] : [])]
  const missing = name.includes('.') ? suffixes.filter((suffix) => !name.endsWith(suffix)) : []
  return [legal(name), ...missing].join('')
}

function* distributionLines(name: string, labels: Labels, { bounds, buckets, sum, count }: Distribution): Generator<string> {
  let cumulative = 0
  for (const [index, bound] of [...bounds, '+Inf'].entries()) {
    cumulative += buckets[index] ?? 0
    yield `${name}_bucket${labelText({ ...labels, le: String(bound) })} ${cumulative}`
  }
  yield `${name}_sum${labelText(labels)} ${sum}`
  yield `${name}_count${labelText(labels)} ${count}`
}

function labelText(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${legal(name)}="${escapeLabel(value)}"`)
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`
}

function legal(name: string): string {
  return name.replace(/[^a-zA-Z0-9_]/g, '_')
}

function escapeLabel(value: string): string {
  return value.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`))
}

import { openStub, type Stub } from './stub.ts'

/**
 * A collector that refuses what the specification of OTLP 1.0 does not know: fields that are none, numbers of 64 bits that are not text, counts that do not
 * add up. It is not a program of OpenTelemetry's; what is not written in `metrics.proto` and in the rules for JSON is not checked.
 */
export function openCollector(): Promise<Stub> {
  return openStub((response, { method, path, headers, json }) => {
    const found = [
      ...(method === 'POST' && path === '/v1/metrics' ? [] : ['not POST /v1/metrics']),
      ...(headers['content-type'] === 'application/json' ? [] : ['not JSON']),
      ...otlpFindings(json),
    ]
    response.writeHead(found.length === 0 ? 200 : 400, { 'content-type': 'application/json' }).end('{}')
  })
}

type Findings = readonly string[]
type Json = Readonly<Record<string, unknown>>
type Check = (value: unknown, where: string) => Findings

/** What is wrong with the body of a request; nothing where it is as documented. */
export function otlpFindings(body: unknown): Findings {
  return request(body, 'body')
}

const text: Check = (value, where) => (typeof value === 'string' ? [] : [`${where} is no text`])
const aName: Check = (value, where) =>
  typeof value === 'string' && /^[a-z][\w./-]{0,254}$/i.test(value) ? [] : [`${where} is no name of an instrument`]
const double: Check = (value, where) => (typeof value === 'number' && Number.isFinite(value) ? [] : [`${where} is no number`])
const truth: Check = (value, where) => (typeof value === 'boolean' ? [] : [`${where} is neither true nor false`])
/** 64 bits do not fit into a number of JSON. */
const int64: Check = (value, where) =>
  typeof value === 'string' && /^-?\d{1,19}$/.test(value) ? [] : [`${where} is no text of digits`]
const temporality: Check = (value, where) => (value === 1 || value === 2 ? [] : [`${where} is neither delta nor cumulative`])

const list =
  (item: Check): Check =>
  (value, where) =>
    Array.isArray(value) ? value.flatMap((one, index) => item(one, `${where}[${index}]`)) : [`${where} is no list`]

/** Of `needed` all must be there, of `others` each may be. */
const message =
  (needed: Readonly<Record<string, Check>>, others: Readonly<Record<string, Check>> = {}): Check =>
  (value, where) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return [`${where} is no object`]
    const fields: Readonly<Record<string, Check>> = { ...needed, ...others }
    const missing = Object.keys(needed).filter((name) => !(name in value))
    return [
      ...missing.map((name) => `${where}.${name} is missing`),
      ...Object.entries(value).flatMap(
        ([name, one]) => fields[name]?.(one, `${where}.${name}`) ?? [`${where}.${name} is no field`],
      ),
    ]
  }

/** Exactly one of several fields, beside those that `check` knows. */
const oneOf =
  (names: readonly string[], check: Check): Check =>
  (value, where) => {
    const given = names.filter((name) => Object.hasOwn(Object(value), name))
    return given.length === 1 ? check(value, where) : [`${where} has ${given.length} of ${names.join(', ')}`]
  }

/** `distinct`: a set of attributes names nothing twice. */
const attributes: Check = (value, where) => {
  const found = list(message({ key: text, value: message({ stringValue: text }) }))(value, where)
  const keys = Array.isArray(value) ? value.map((one: Json) => one['key']) : []
  return new Set(keys).size === keys.length ? found : [...found, `${where} names something twice`]
}

const times = { timeUnixNano: int64, attributes }
const start = { startTimeUnixNano: int64 }
const number = oneOf(['asInt', 'asDouble'], message(times, { ...start, asInt: int64, asDouble: double }))

const distribution: Check = (value, where) => {
  const found = message({ ...times, count: int64, sum: double, bucketCounts: list(int64), explicitBounds: list(double) }, start)(
    value,
    where,
  )
  return found.length > 0 ? found : addedUp(value as Distributed, where)
}

interface Distributed {
  readonly count: string
  readonly bucketCounts: readonly string[]
  readonly explicitBounds: readonly number[]
}

function addedUp({ count, bucketCounts, explicitBounds }: Distributed, where: string): Findings {
  const total = bucketCounts.reduce((sum, bucket) => sum + BigInt(bucket), 0n)
  const isRising = explicitBounds.every((bound, index) => index === 0 || bound > (explicitBounds[index - 1] ?? 0))
  return [
    ...(bucketCounts.length === explicitBounds.length + 1 ? [] : [`${where} has not one bucket more than bounds`]),
    ...(total === BigInt(count) ? [] : [`${where} has buckets that are not its count`]),
    ...(isRising ? [] : [`${where} has bounds that do not rise`]),
  ]
}

const kinds = {
  gauge: message({ dataPoints: list(number) }),
  sum: message({ dataPoints: list(number), aggregationTemporality: temporality, isMonotonic: truth }),
  histogram: message({ dataPoints: list(distribution), aggregationTemporality: temporality }),
}
const metric = oneOf(Object.keys(kinds), message({ name: aName }, { description: text, unit: text, ...kinds }))
const scope = message({ name: text }, { version: text })
const request = message({
  resourceMetrics: list(
    message({ resource: message({ attributes }), scopeMetrics: list(message({ scope, metrics: list(metric) })) }),
  ),
})

// biome-ignore-all lint/suspicious/noTemplateCurlyInString: Terraform has such placeholders too, and they must be escaped
import { expect, test } from 'vitest'
import type { Topology } from '../topology.ts'
import { blueprintOf } from './blueprint.ts'
import { terraform } from './terraform.ts'

const terms = { queueType: 'quorum', prefix: 'redrive', version: '4.0.5' } as const
const wanted: Topology = {
  channels: [
    { address: { name: 'dead.orders' }, role: 'dead-letter' },
    { address: { name: 'orders' }, role: 'work', deadLetterTo: { name: 'dead.orders' }, ttl: 300_000, maxRetryDelay: 300 },
  ],
}

/** The little of HCL that we write: blocks of attributes, and blocks within them. Throws at anything else. */
function parse(text: string): { kind: string; label: string; attributes: Map<string, string> }[] {
  const lines = text.split('\n')
  const resources: { kind: string; label: string; attributes: Map<string, string> }[] = []
  let depth = 0
  for (const line of lines) {
    const [, kind, label] = /^resource "([a-z_]+)" "([A-Za-z_][A-Za-z0-9_-]*)" \{$/.exec(line) ?? []
    if (kind !== undefined && label !== undefined) resources.push({ kind, label, attributes: new Map() })
    const [, key, value] = /^ +("[^"]+"|[a-z_]+) += (.+)$/.exec(line) ?? []
    if (key !== undefined && value !== undefined) resources.at(-1)?.attributes.set(key, value)
    else if (!/^(|(?:terraform|variable|resource) .*\{| +(?:settings|required_providers) \{| *\}| {4}\}\))$/.test(line))
      throw new Error(`not HCL as we write it: ${line}`)
    const unquoted = line.replace(/"(?:[^"\\]|\\.)*"/g, '')
    depth += [...unquoted.matchAll(/[{(]/g)].length - [...unquoted.matchAll(/[})]/g)].length
  }
  expect(depth).toBe(0)
  return resources
}

test('every exchange, queue and binding of the blueprint is one resource, in its order', () => {
  const blueprint = blueprintOf(wanted, terms)
  const resources = parse(terraform(blueprint, '/'))
  const named = (kind: string) =>
    resources.filter((resource) => resource.kind === kind).map(({ attributes }) => JSON.parse(attributes.get('name') ?? ''))
  expect(named('rabbitmq_exchange')).toEqual(blueprint.exchanges.map(({ name }) => name))
  expect(named('rabbitmq_queue')).toEqual(blueprint.queues.map(({ name }) => name))
  expect(resources.filter(({ kind }) => kind === 'rabbitmq_binding')).toHaveLength(blueprint.bindings.length)
})

test('a binding refers to resources that are there', () => {
  const resources = parse(terraform(blueprintOf(wanted, terms), '/'))
  const there = resources.map(({ kind, label }) => `${kind}.${label}.name`)
  expect(new Set(there).size).toBe(there.length)
  for (const { attributes } of resources.filter(({ kind }) => kind === 'rabbitmq_binding')) {
    expect(there).toContain(attributes.get('source'))
    expect(there).toContain(attributes.get('destination'))
  }
})

test('numbers stay numbers, and the arguments are those of the queue', () => {
  const [queue] = parse(terraform(blueprintOf(wanted, terms), '/')).filter(({ label }) => label === 'orders')
  expect(Object.fromEntries(queue?.attributes ?? [])).toMatchObject({
    '"x-message-ttl"': '300000',
    '"x-queue-type"': '"quorum"',
    '"x-dead-letter-exchange"': '""',
    '"x-dead-letter-routing-key"': '"dead.orders"',
  })
})

test('the same topology is written the same way twice', () => {
  expect(terraform(blueprintOf(wanted, terms), '/')).toBe(terraform(blueprintOf(structuredClone(wanted), terms), '/'))
})

test('names are data: quotes, templates and equal labels do no harm', () => {
  const names = ['a.b', 'a-b', '9"}\n', '${file("/etc/passwd")}', '%{ if true }']
  const channels = names.map((name) => ({ address: { name }, role: 'dead-letter' }) as const)
  const text = terraform(blueprintOf({ channels }, terms), '${var.other}')
  const resources = parse(text)
  expect(resources.map(({ label }) => label)).toEqual(['a_b', 'a_b_2', '_9___', '__file___etc_passwd___', '___if_true__'])
  expect(resources.map(({ attributes }) => attributes.get('name'))).toContain('"$${file(\\"/etc/passwd\\")}"')
  expect(text).toContain('default = "$${var.other}"')
  expect(text).toContain('"%%{ if true }"')
})

test('a name that the provider would take apart is refused', () => {
  const channels = [{ address: { name: 'a@b' }, role: 'dead-letter' }] as const
  expect(() => terraform(blueprintOf({ channels }, terms), '/')).toThrow(/takes names apart/)
})

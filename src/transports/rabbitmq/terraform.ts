import { RedriveError } from '../../core/errors.ts'
import type { BindingPart, Blueprint, ExchangePart, QueuePart } from './blueprint.ts'

/**
 * Resources for the Terraform provider cyrilgdn/rabbitmq. Bindings refer to what they bind, so that Terraform makes it first; all
 * else stands in the order of the blueprint, so that two exports of one topology are equal.
 */
export function terraform(blueprint: Blueprint, vhost: string): string {
  const { exchanges, queues, bindings } = blueprint
  refuseUnmanageable(blueprint)
  const [exchangeLabels, queueLabels] = [labels(exchanges), labels(queues)]
  const address = (to: 'exchange' | 'queue', name: string): string =>
    `rabbitmq_${to}.${(to === 'exchange' ? exchangeLabels : queueLabels).get(name)}.name`
  return [
    'terraform {\n  required_providers {\n    rabbitmq = {\n      source = "cyrilgdn/rabbitmq"\n    }\n  }\n}',
    `variable "vhost" {\n  type    = string\n  default = ${quoted(vhost)}\n}`,
    ...exchanges.map((part) => exchangeResource(part, exchangeLabels.get(part.name) ?? '')),
    ...queues.map((part) => queueResource(part, queueLabels.get(part.name) ?? '')),
    ...bindings.map((part, index) => bindingResource(part, index, address)),
  ]
    .map((block) => `${block}\n`)
    .join('\n')
}

function exchangeResource({ name, type, alternate }: ExchangePart, label: string): string {
  const given = alternate === undefined ? [] : [`    arguments   = { "alternate-exchange" = ${quoted(alternate)} }`]
  return [
    `resource "rabbitmq_exchange" "${label}" {`,
    `  name  = ${quoted(name)}`,
    '  vhost = var.vhost',
    '  settings {',
    `    type        = ${quoted(type)}`,
    '    durable     = true',
    '    auto_delete = false',
    ...given,
    '  }',
    '}',
  ].join('\n')
}

/** `arguments` would make text of numbers, which the broker refuses; `arguments_json` keeps them. */
function queueResource({ name, arguments: declared }: QueuePart, label: string): string {
  const lines = Object.entries(declared).map(([key, value]) => `      ${quoted(key)} = ${literal(value)}`)
  return [
    `resource "rabbitmq_queue" "${label}" {`,
    `  name  = ${quoted(name)}`,
    '  vhost = var.vhost',
    '  settings {',
    '    durable        = true',
    '    auto_delete    = false',
    '    arguments_json = jsonencode({',
    ...lines,
    '    })',
    '  }',
    '}',
  ].join('\n')
}

function bindingResource(
  { source, destination, to, routingKey }: BindingPart,
  index: number,
  address: (to: 'exchange' | 'queue', name: string) => string,
): string {
  return [
    `resource "rabbitmq_binding" "binding_${String(index).padStart(3, '0')}" {`,
    `  source           = ${address('exchange', source)}`,
    '  vhost            = var.vhost',
    `  destination      = ${address(to, destination)}`,
    `  destination_type = ${quoted(to)}`,
    `  routing_key      = ${quoted(routingKey)}`,
    '}',
  ].join('\n')
}

/** Names as Terraform allows them; a number tells those apart that become equal. */
function labels(parts: readonly { readonly name: string }[]): ReadonlyMap<string, string> {
  const taken = new Map<string, string>()
  for (const { name } of parts) {
    const plain = name.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=\d)/, '_')
    let label = plain
    for (let number = 2; [...taken.values()].includes(label); number++) label = `${plain}_${number}`
    taken.set(name, label)
  }
  return taken
}

/** The provider keeps resources as `name@vhost` and bindings as a path, and takes them apart at these characters. */
function refuseUnmanageable({ exchanges, queues, bindings }: Blueprint): void {
  const bound = bindings.map(({ destination }) => destination)
  const odd = [...exchanges, ...queues].find(({ name }) => name.includes('@') || (bound.includes(name) && name.includes('/')))
  if (odd)
    throw new RedriveError(
      'unsupported',
      `"${odd.name}" cannot be written for Terraform: its provider takes names apart at "@" and "/". Use --format definitions.`,
    )
}

function literal(value: string | number | boolean): string {
  return typeof value === 'string' ? quoted(value) : String(value)
}

/** A string of HCL: as in JSON, and `${` and `%{` would begin a template. */
function quoted(text: string): string {
  return JSON.stringify(text).replace(/[$%](?=\{)/g, '$&$&')
}

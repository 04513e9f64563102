import { describe, expect, it } from 'vitest'
import { notification } from '../notification.fixture.ts'
import { rich } from './rich.fixture.ts'
import { parseTemplate, templateFields } from './template.ts'

const told = rich()

describe('a field of a template', () => {
  it.each([
    ['id', told.id],
    ['status', 'firing'],
    ['reason', 'first'],
    ['severity', 'WARNING'],
    ['timestamp', '2030-01-02T12:00:00.000Z'],
    ['component', 'RabbitMQ'],
    ['subject', 'Poison message detected in DLQ dlq.orders'],
    ['message', '1 or more messages found in Dead-Letter Queue dlq.orders. Manual intervention required.'],
    ['instance', 'redrive-1'],
    ['link', 'https://redrive.example/alerts'],
    ['alerts', '3'],
    ['rule', 'dlq.any'],
    ['name', 'Letters in a dead-letter queue'],
    ['source', 'shop'],
    ['queue', 'dlq.orders'],
    ['consumerGroup', 'billing'],
    ['cause', 'v1:c1'],
    ['count', '3'],
    ['threshold', '0.12345'],
    ['correlationIds', 'order-1, order-2'],
    ['firstSeen', '2030-01-02T11:59:00.000Z'],
    ['lastSeen', '2030-01-02T12:00:00.000Z'],
    ['runbook', 'https://wiki.example/dlq'],
  ])('%s is %j', (name, value) => {
    expect(parseTemplate(`{{${name}}}`, 'text')(told)).toBe(value)
    expect(parseTemplate(`<{{ \t${name} }}>{{${name}}}`, 'text')(told)).toBe(`<${value}>${value}`)
  })

  it('is one of these', () => {
    expect(Object.keys(templateFields)).toHaveLength(23)
  })

  it.each(Object.keys(templateFields))('%s is text even where there is no alert', (name) => {
    const { link: _, ...nothing } = { ...notification(), alerts: [] }
    expect(parseTemplate(`{{${name}}}`, 'text')(nothing)).not.toContain('undefined')
  })
})

describe('a template with a name that is no field', () => {
  const all = Object.keys(templateFields).join(', ')

  it('is refused, with what was probably meant', () => {
    expect(() => parseTemplate('{{severity}} {{qeue}}', 'mail: text')).toThrow(
      `mail: text is a template with {{qeue}}, which is no field. Did you mean {{queue}}? Allowed: ${all}.`,
    )
    expect(() => parseTemplate('{{qeue}}', 'text')).toThrow(expect.objectContaining({ code: 'bad-option' }))
  })

  it('is refused, also where nothing is near', () => {
    expect(() => parseTemplate('{{zzzzzzzzzz}}', 'x')).toThrow(
      `x is a template with {{zzzzzzzzzz}}, which is no field. Allowed: ${all}.`,
    )
  })
})

import * as fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { utf8Length } from '../../headers.ts'
import { alertFacts, notification, resolved } from '../notification.fixture.ts'
import { alertmanagerAlerts } from './alertmanager.ts'
import { mostBytes } from './limits.ts'
import { alertMail } from './mail.ts'
import { pagerDutyEvent } from './pager-duty.ts'
import { slackBody } from './slack.ts'
import { teamsBody } from './teams.ts'
import { parseTemplate } from './template.ts'
import { webhookBody } from './webhook.ts'
import { wordsOf } from './words.ts'

const sentence = '1 or more messages found in Dead-Letter Queue dlq.orders. Manual intervention required.'

describe('the words of an alert', () => {
  it('seed 000 mail: subject, timestamp, severity, component, the sentence and the correlation id', () => {
    const { subject, text } = alertMail(notification())
    expect(subject).toBe('[CRITICAL] Poison message detected in DLQ dlq.orders')
    expect(text).toContain('Timestamp: 2030-01-02T12:00:00.000Z\nSeverity: CRITICAL\nStatus: firing\nComponent: RabbitMQ\n')
    expect(text).toContain(`Message: ${sentence}\n`)
    expect(text).toContain('Correlation IDs: order-1\n')
    expect(text).toContain('Count: 3, 0 before\nThreshold: 0\nTop errors: TypeError × 3\n')
  })

  it('says that it is over, and that it is a test', () => {
    expect(wordsOf(resolved()).title).toBe('[RESOLVED] No more messages in DLQ dlq.orders')
    expect(wordsOf(notification({ reason: 'test' })).title).toMatch(/^\[TEST\] /)
  })

  it('counts what is not listed', () => {
    const many = notification({ alerts: Array.from({ length: 25 }, () => alertFacts()) })
    expect(wordsOf(many).text).toContain('… and 5 more')
  })

  it('are one mail for each notification, and one thread for each time that a group comes into being', () => {
    const [one, again, over] = [alertMail(notification()), alertMail(notification()), alertMail(resolved())]
    expect(again.messageId).toBe(one.messageId)
    expect(over.messageId).not.toBe(one.messageId)
    expect(over.thread).toBe(one.thread)
  })
})

describe('a template', () => {
  it('names fields, and what is not known is empty', () => {
    const template = parseTemplate('{{severity}}: {{ queue }} holds {{count}}{{consumerGroup}}', 'title')
    expect(template(notification())).toBe('CRITICAL: dlq.orders holds 3')
  })

  it.each(['{{messages}}', '{{constructor}}', '{{__proto__}}', '{{}}'])('refuses %s, which is no field', (written) => {
    expect(() => parseTemplate(written, 'mail: text')).toThrow(/mail: text is a template .* Allowed: id, status/)
  })

  it('says which field was probably meant', () => {
    expect(() => parseTemplate('{{sverity}}', 'mail: text')).toThrow('Did you mean {{severity}}?')
  })

  it.each(['{{constructor.constructor("alert(1)")()}}', '#{queue}', '{{#if x}}', '<%= queue %>'])(
    'evaluates nothing: %s',
    (written) => {
      expect(parseTemplate(written, 'text')(notification())).toBe(written)
    },
  )

  it('cannot break out of one line where there is one', () => {
    expect(wordsOf(notification(), { title: parseTemplate('a\r\nBcc: b', 'title') }).title).toBe('a\\r\\nBcc: b')
  })
})

describe('Slack', () => {
  it('gets a preview, a header and a section for each alert', () => {
    const { text, blocks } = JSON.parse(slackBody(notification()))
    expect(text).toBe('[CRITICAL] Poison message detected in DLQ dlq.orders')
    expect(blocks.map(({ type }: { type: string }) => type)).toEqual(['header', 'section', 'section', 'section', 'context'])
    expect(blocks[3].text.text).toBe('<https://redrive.example/alerts|Look at all alerts>')
  })

  it('reads no mention, link or mark-up in what a broker names', () => {
    const body = slackBody(notification({ subject: '<!channel> <@U1> *x* & <http://evil|here>' }))
    const { text, blocks } = JSON.parse(body)
    expect(text).toBe('[CRITICAL] &lt;!channel&gt; &lt;@U1&gt; *x* &amp; &lt;http://evil|here&gt;')
    expect(blocks.filter((block: { text?: { type: string } }) => block.text?.type === 'mrkdwn')).toHaveLength(1)
  })
})

describe('Teams', () => {
  it('gets one adaptive card, in which all text is plain', () => {
    const { type, attachments } = JSON.parse(teamsBody(notification({ subject: '[here](http://evil)' })))
    expect(type).toBe('message')
    expect(attachments).toHaveLength(1)
    expect(attachments[0].contentType).toBe('application/vnd.microsoft.card.adaptive')
    const { body, actions } = attachments[0].content
    expect(body.every((block: { type: string }) => block.type === 'RichTextBlock')).toBe(true)
    expect(actions).toEqual([{ type: 'Action.OpenUrl', title: 'Look at all alerts', url: 'https://redrive.example/alerts' }])
  })
})

describe('PagerDuty', () => {
  it('is triggered, and resolved under the same key', () => {
    const trigger = JSON.parse(pagerDutyEvent(notification(), 'routing'))
    const resolve = JSON.parse(pagerDutyEvent(resolved(), 'routing'))
    expect(trigger).toMatchObject({ routing_key: 'routing', event_action: 'trigger', client: 'Redrive' })
    expect(trigger.payload).toMatchObject({ severity: 'critical', source: 'dlq.orders', component: 'RabbitMQ', class: 'dlq.any' })
    expect(resolve).toEqual({ routing_key: 'routing', event_action: 'resolve', dedup_key: trigger.dedup_key })
  })
})

describe('Alertmanager', () => {
  it('gets each alert by itself, with labels that stay the same until it is over', () => {
    const [firing] = JSON.parse(alertmanagerAlerts(notification()))
    const [over] = JSON.parse(alertmanagerAlerts(resolved()))
    expect(firing.labels).toMatchObject({ alertname: 'dlq.any', severity: 'critical', source: 'shop', queue: 'dlq.orders' })
    expect(over.labels).toEqual(firing.labels)
    expect(firing.endsAt > over.endsAt).toBe(true)
    expect(firing.annotations).toMatchObject({ description: sentence, count: '3', correlation_ids: 'order-1' })
  })

  it('gets names of labels that it takes', () => {
    const [{ labels }] = JSON.parse(
      alertmanagerAlerts(notification({ alerts: [alertFacts({ labels: { 'cost-centre': 'a', '9': 'b' } })] })),
    )
    expect(labels).toMatchObject({ cost_centre: 'a', _9: 'b' })
  })
})

const anyText = fc.oneof(
  fc.string({ maxLength: 600 }),
  fc.constantFrom('漢'.repeat(600), '"'.repeat(600), '&'.repeat(600), '\n'.repeat(600)),
)
const anyAlert = fc
  .record({ subject: fc.record({ source: anyText, queue: anyText, cause: anyText }), message: anyText, name: anyText })
  .map(alertFacts)
const anyNotification = fc
  .record({
    subject: anyText,
    message: anyText,
    component: anyText,
    instance: anyText,
    alerts: fc.array(anyAlert, { minLength: 1, maxLength: 30 }),
  })
  .map(notification)

describe('whatever stands in it, a notification', () => {
  it('fits into what each receiver takes', () => {
    const text = parseTemplate(`{{message}}${'{{queue}}漢'.repeat(20)}`, 'text')
    fc.assert(
      fc.property(anyNotification, fc.constantFrom({}, { text }), (told, templates) => {
        expect(utf8Length(slackBody(told, templates))).toBeLessThanOrEqual(mostBytes.slack)
        expect(utf8Length(teamsBody(told, templates))).toBeLessThanOrEqual(mostBytes.teams)
        expect(utf8Length(pagerDutyEvent(told, 'r', templates))).toBeLessThanOrEqual(mostBytes.pagerDuty)
        expect(utf8Length(webhookBody(told))).toBeLessThanOrEqual(mostBytes.webhook)
        expect(utf8Length(alertMail(told, templates).text)).toBeLessThanOrEqual(mostBytes.mail + 1)
        expect(alertMail(told, templates).subject).not.toMatch(/[\r\n]/)
      }),
      { numRuns: 200 },
    )
  })

  it('keeps the limits that Slack and PagerDuty have for single fields', () => {
    fc.assert(
      fc.property(anyNotification, (told) => {
        const { blocks } = JSON.parse(slackBody(told))
        expect(blocks.length).toBeLessThanOrEqual(50)
        expect(blocks[0].text.text.length).toBeLessThanOrEqual(150)
        for (const { text } of blocks.slice(1)) expect(text?.text.length ?? 0).toBeLessThanOrEqual(3000)
        const { payload, dedup_key } = JSON.parse(pagerDutyEvent(told, 'r'))
        expect(payload.summary.length).toBeLessThanOrEqual(1024)
        expect(dedup_key.length).toBeLessThanOrEqual(255)
      }),
      { numRuns: 100 },
    )
  })
})

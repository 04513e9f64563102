import { expect, it } from 'vitest'
import { notification } from '../notification.fixture.ts'
import { rich } from './rich.fixture.ts'
import { slackBody } from './slack.ts'
import { parseTemplate } from './template.ts'
import { alertLines } from './words.ts'

const plain = (text: string): object => ({ type: 'plain_text', text, emoji: false })
const section = (text: string): object => ({ type: 'section', text: plain(text) })
const told = rich()
const header = { type: 'header', text: plain('[WARNING] Poison message detected in DLQ dlq.orders') }
const context = { type: 'context', elements: [plain(`redrive-1 · ${told.id}`)] }
const link = { type: 'section', text: { type: 'mrkdwn', text: '<https://redrive.example/alerts|Look at all alerts>' } }

it('Slack gets these blocks and no others', () => {
  expect(JSON.parse(slackBody(told))).toEqual({
    text: '[WARNING] Poison message detected in DLQ dlq.orders',
    blocks: [
      header,
      section(`${told.message}\nRabbitMQ, 2030-01-02T12:00:00.000Z`),
      ...told.alerts.map((alert) => section(alertLines(alert).join('\n'))),
      section('… and 1 more'),
      link,
      context,
    ],
  })
})

it("Slack gets the user's own text in one section", () => {
  const { blocks } = JSON.parse(slackBody(told, { text: parseTemplate('{{queue}}', 'text') }))
  expect(blocks).toEqual([header, section('dlq.orders'), link, context])
})

it('Slack gets no more than it takes of each, no link where there is none, and none that breaks out', () => {
  const long = 'x'.repeat(5000)
  const { blocks, text } = JSON.parse(slackBody(notification({ subject: long }), { text: parseTemplate(long, 'text') }))
  expect([text.length, blocks[0].text.text.length, blocks[1].text.text.length]).toEqual([300, 150, 2000])
  const { link: _, ...unlinked } = notification()
  expect(slackBody(unlinked)).not.toMatch(/mrkdwn|… and/)
  const hostile = slackBody({ ...notification(), link: 'https://x/?a=1&b=<c> |d' })
  expect(hostile).toContain('<https://x/?a=1&amp;b=%3Cc%3E%20%7Cd|Look at all alerts>')
})

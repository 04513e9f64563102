import { expect, it } from 'vitest'
import { notification, resolved } from '../notification.fixture.ts'
import type { Notification } from '../notification.ts'
import { rich } from './rich.fixture.ts'
import { teamsBody } from './teams.ts'
import { parseTemplate } from './template.ts'
import { alertLines } from './words.ts'

const block = (text: string, look: object = {}): object => ({
  type: 'RichTextBlock',
  inlines: [{ type: 'TextRun', text, ...look }],
})
const contentOf = (body: string) => JSON.parse(body).attachments[0].content
const told = rich()
const title = block('[WARNING] Poison message detected in DLQ dlq.orders', { weight: 'Bolder', size: 'Large', color: 'Warning' })
const foot = block(`redrive-1 · ${told.id}`, { isSubtle: true, size: 'Small' })

it('Teams gets this card and no other', () => {
  expect(JSON.parse(teamsBody(told))).toEqual({
    type: 'message',
    attachments: [
      {
        contentType: 'application/vnd.microsoft.card.adaptive',
        contentUrl: null,
        content: {
          $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
          type: 'AdaptiveCard',
          version: '1.4',
          body: [
            title,
            block(`${told.message} (RabbitMQ, 2030-01-02T12:00:00.000Z)`),
            ...told.alerts.map((alert) => block(alertLines(alert).join('\n'))),
            block('… and 1 more'),
            foot,
          ],
          actions: [{ type: 'Action.OpenUrl', title: 'Look at all alerts', url: 'https://redrive.example/alerts' }],
        },
      },
    ],
  })
})

it("Teams gets the user's own text in one block", () => {
  expect(contentOf(teamsBody(told, { text: parseTemplate('{{queue}}', 'text') })).body).toEqual([
    title,
    block('dlq.orders'),
    foot,
  ])
})

it.each([
  ['Attention', notification()],
  ['Warning', rich()],
  ['Default', { ...notification(), severity: 'INFO' }],
  ['Good', resolved()],
] as const)('the colour is %s', (color, about) => {
  expect(contentOf(teamsBody(about as Notification)).body[0].inlines[0].color).toBe(color)
})

it('Teams gets no more than 5,000 characters in a block, and no action where there is no link', () => {
  const { link: _, ...unlinked } = notification()
  const { body, actions } = contentOf(teamsBody(unlinked, { text: parseTemplate('x'.repeat(9000), 'text') }))
  expect(body[1].inlines[0].text).toHaveLength(5000)
  expect(actions).toBeUndefined()
  expect(teamsBody(unlinked)).not.toContain('… and')
})

import { expect, it } from 'vitest'
import { notification } from '../notification.fixture.ts'
import { alertMail } from './mail.ts'
import { parseTemplate } from './template.ts'
import { wordsOf } from './words.ts'

it('a mail has a subject, a text, a name and a thread', () => {
  const told = notification()
  const { title, text } = wordsOf(told)
  expect(alertMail(told)).toEqual({
    subject: title,
    text: `${text}\n`,
    messageId: `<${told.id}@redrive>`,
    thread: `<${told.group.dedupKey.replace(':', '.')}.1@redrive>`,
  })
})

it('a mail has no subject that nobody reads, and no more text than servers take', () => {
  const own = { text: parseTemplate('漢'.repeat(40_000), 'text'), title: parseTemplate('x'.repeat(400), 'title') }
  const { subject, text } = alertMail(notification(), own)
  expect(subject).toHaveLength(300)
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(100_001)
  expect(text.length).toBeGreaterThan(33_000)
})

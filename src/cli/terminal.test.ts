import { expect, test } from 'vitest'
import { shown } from './terminal.ts'

test.each([
  ['amqp://shop:hunter2@broker:5672/shop', 'amqp://***@broker:5672/shop'],
  ['at https://user:p@ss@host/x and amqp://a:b@c', 'at https://***@host/x and amqp://***@c'],
  ['amqp://token@broker', 'amqp://***@broker'],
  ['amqp://broker/vhost, mail a@b', 'amqp://broker/vhost, mail a@b'],
])('%s is shown as %s', (text, expected) => {
  expect(shown(text)).toBe(expected)
})

test('what acts on a terminal is written out', () => {
  expect(shown('a\u001b]0;title\u0007\nb')).toBe('a\\u001b]0;title\\u0007\\nb')
})

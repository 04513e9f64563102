// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the placeholders of a topology file
import { expect, test } from 'vitest'
import { substitute } from './environment.ts'

const environment = { URL: 'amqp://shop:s3cret@broker', EMPTY: '', EVIL: '","x":"${URL}' }

test('placeholders in every text are replaced, however deep, and all else stays as it is', () => {
  const document = { url: '${URL}', list: ['a', { deep: '<${URL}|${URL}>' }], number: 1, flag: true, nothing: null }
  expect(substitute(document, environment)).toEqual({
    url: 'amqp://shop:s3cret@broker',
    list: ['a', { deep: '<amqp://shop:s3cret@broker|amqp://shop:s3cret@broker>' }],
    number: 1,
    flag: true,
    nothing: null,
  })
})

test.each([
  ['${MISSING:-amqp://localhost}', 'amqp://localhost'],
  ['${MISSING:-}', ''],
  ['${EMPTY:-other}', ''],
  ['$${URL}', '${URL}'],
  ['$URL and {URL} and ${}', '$URL and {URL} and ${}'],
])('%s is %j', (text, expected) => {
  expect(substitute(text, environment)).toBe(expected)
})

test('a value is text and nothing else, whatever it holds', () => {
  expect(substitute({ url: '${EVIL}' }, environment)).toEqual({ url: '","x":"${URL}' })
})

test('a variable that is not set is named with its place, and no value is', () => {
  const document = { connection: { hosts: ['${URL}', '${URL}/${NOWHERE}'] } }
  expect(() => substitute(document, environment)).toThrow(
    'connection.hosts[1] needs the environment variable NOWHERE, which is not set.',
  )
})

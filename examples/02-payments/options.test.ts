import { expect, it } from 'vitest'
import { readOptions } from './options.ts'

it('runs everything on the embedded queue without end, unless told otherwise', () => {
  expect(readOptions([])).toEqual({
    transport: 'embedded',
    file: undefined,
    count: Number.POSITIVE_INFINITY,
    seed: 1,
    mended: false,
    once: false,
    role: 'all',
    deadLettering: 'annotated',
  })
})

it('creates fifty payments with --once, unless told how many', () => {
  expect(readOptions(['--once'])).toMatchObject({ count: 50 })
  expect(readOptions(['--once', '--count', '3'])).toMatchObject({ count: 3 })
})

it.each([
  [
    ['--transport', 'rabbit'],
    '--transport is "rabbit". Allowed: embedded, kafka, memory, postgres, rabbitmq, redis, rocketmq, servicebus, sqs.',
  ],
  [['--count', '0'], '--count is "0". Allowed: a whole number from 1.'],
  [['--seed', 'many'], '--seed is "many". Allowed: a whole number from 1.'],
  [['--role', 'boss'], '--role is "boss". Allowed: all, api, workers, monitor.'],
  [['--dead-lettering', 'both'], '--dead-lettering is "both". Allowed: annotated, native.'],
  [['--role', 'api', '--once'], '--once needs the API and the workers in one process'],
  [['--role', 'api'], '--role needs --file'],
  [['--role', 'api', '--transport', 'memory'], 'lives inside one process'],
])('refuses %j', (args, message) => {
  expect(() => readOptions(args)).toThrow(message)
})

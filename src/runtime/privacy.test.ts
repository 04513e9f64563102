import { afterEach, describe, expect, it, vi } from 'vitest'
import type { Message } from '../core/message.ts'
import type { Context } from './context.ts'

const secrets = ['body-quoted-7781', 'key-of-customer-93', 'header-value-4242']
const message: Partial<Message> = { key: secrets[1] as string, headers: [['x-tenant', secrets[2] as string]] }

const quotingHandlers: readonly ((text: string, ctx: Context) => unknown)[] = [
  (text) => Promise.reject(new Error(`cannot use ${text}`)),
  (text) => Promise.reject(new Error('wrapped', { cause: new Error(text) })),
  (text) => Promise.reject(text),
  (text) => Promise.reject(Object.assign(new Error('x'), { name: `E ${text}` })),
  (text, ctx) => ctx.deadLetter(`Bad ${text}`, `because of ${text}`),
  (text, ctx) => ctx.discard(text),
  (text, ctx) => ctx.invalid(text),
]

/** Everything that leaves the process when handlers quote what they were given. */
async function whatLeft(): Promise<string> {
  const { testingWorld } = await import('../../test/testing-world.ts')
  const { prometheusText } = await import('../core/metrics/prometheus-text.ts')
  const left: string[] = []
  for (const handler of quotingHandlers) {
    const world = testingWorld()
    const text = secrets.join(' and ')
    const options = { maxDeliveryCount: 1, stackTraces: true, onDeadLetterFailure: 'drop' } as const
    const consumer = await world.consume((_, ctx) => handler(text, ctx), options)
    await world.put({ secret: secrets[0] }, message)
    const letters = (await world.letters()).flatMap(({ headers }) => headers.filter(([name]) => name !== 'x-tenant'))
    world.broker.faults.refuse('dead')
    await world.put({ secret: secrets[0] }, message)
    left.push(JSON.stringify([world.logs, world.told, letters]), prometheusText(consumer.metrics()))
  }
  return left.join('\n')
}

afterEach(() => {
  vi.doUnmock('../core/sanitise.ts')
  vi.resetModules()
})

describe('the payload', () => {
  it('never leaves through logs, events, metrics or letter headers, whatever a handler says', async () => {
    const left = await whatLeft()
    for (const secret of secrets) expect(left).not.toContain(secret)
    expect(left).toContain('[REDACTED - potentially sensitive data]')
  })

  it('would be seen leaving if texts were not sanitised', async () => {
    vi.resetModules()
    vi.doMock('../core/sanitise.ts', () => ({
      sanitise: (text: string) => text,
      sanitiseStack: ({ stack }: { stack: string }) => stack,
      sanitiseError: (error: unknown) => String(error),
      safeErrorType: (type: string) => type,
    }))
    const left = await whatLeft()
    for (const secret of secrets) expect(left).toContain(secret)
  })
})

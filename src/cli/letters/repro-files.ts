import type { HeaderValue, Message } from '../../core/message.ts'

/** A letter as a test reads it. Nothing of it becomes code: names on a broker are anybody's. */
export interface Fixture {
  readonly channel: string
  readonly message: Readonly<Record<string, string>>
  readonly headers: readonly (readonly [name: string, value: HeaderValue])[]
  readonly hasBody: boolean
  /** Headers that JSON has no word for. */
  readonly leftOut: readonly string[]
}

const named = ['id', 'type', 'contentType', 'correlationId'] as const

export function fixtureOf(channel: string, message: Message): Fixture {
  const known = named.flatMap((name) => (message[name] === undefined ? [] : [[name, message[name]] as const]))
  const key = typeof message.key === 'string' ? [['key', message.key] as const] : []
  const [kept, leftOut] = [
    message.headers.filter(([, value]) => isPlain(value)),
    message.headers.filter(([, value]) => !isPlain(value)),
  ]
  return {
    channel,
    message: Object.fromEntries([...known, ...key]),
    headers: kept,
    hasBody: message.body !== null,
    leftOut: [...leftOut.map(([name]) => name), ...(message.key instanceof Uint8Array ? ['the key'] : [])],
  }
}

function isPlain(value: HeaderValue): boolean {
  return value === null || typeof value === 'string' || typeof value === 'boolean' || Number.isFinite(value)
}

/** A test that fails as long as the letter would die again, and tells what happened instead. */
export function reproTest(letter: number, module: string, declare: string): string {
  return `import { readFileSync } from 'node:fs'
import { createTestBench } from 'redrive/testing'
import { test } from 'vitest'
import { ${declare} } from ${JSON.stringify(module)}

const { channel, message, headers, hasBody } = JSON.parse(readFileSync(new URL('letter-${letter}.json', import.meta.url), 'utf8'))
const body = hasBody ? readFileSync(new URL('letter-${letter}.body', import.meta.url)) : null

test('letter ${letter} is processed', async () => {
  const bench = createTestBench()
  const consumer = bench.consumer()
  await ${declare}(consumer)
  await consumer.start()
  await bench.transport.send({ name: channel }, { ...message, headers, body })
  await bench.waitFor('completed')
  await consumer.stop()
})
`
}

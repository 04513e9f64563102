import { expect, it } from 'vitest'
import { world } from './server.fixture.ts'

const failing = { target: 'collector.example:4318', lastSentAt: 1, failingSince: 2, problem: 'It took too long' }

it('says whether the collector is told what is counted, to those who see all sources', async () => {
  const made = await world({ otlp: { health: failing } })
  const { ask } = await made.person({ role: 'viewer' })
  expect((await ask('GET', '/otlp')).json()).toEqual({ collector: failing })
  const some = await made.person({ role: 'viewer', sources: ['shop/dlq.orders'] })
  const refused = await some.ask('GET', '/otlp')
  expect([refused.statusCode, refused.body.includes('collector.example')]).toEqual([403, false])
})

it('says that there is none', async () => {
  const made = await world()
  expect((await (await made.person()).ask('GET', '/otlp')).json()).toEqual({ collector: null })
})

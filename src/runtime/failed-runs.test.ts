import { describe, expect, it } from 'vitest'
import { testingWorld, type World } from '../../test/testing-world.ts'
import type { FailedRun } from '../core/failed-runs.ts'
import { failedRunsIn, failedRunsText } from '../core/failed-runs.ts'
import { header, textHeader } from '../core/headers.ts'
import { redriveHeaders } from '../core/letter.ts'
import type { Transport } from '../transports/seam.ts'

const hour = 3_600_000

/** Fails with another error each time. */
function failsAnew(): () => never {
  let runs = 0
  return () => {
    throw new RangeError(`failure number ${++runs}`)
  }
}

async function failedRunsInTheLetter(world: World): Promise<readonly string[]> {
  const [letter] = await world.letters()
  return failedRunsIn(textHeader(letter?.headers ?? [], redriveHeaders.failedRuns)).map(told)
}

function told({ attempt, errorType, description }: FailedRun): string {
  return `${attempt} ${errorType} ${description}`
}

function withRetry(world: World, retry: Partial<Transport['capabilities']['retry']>): { transport: Transport } {
  const { capabilities } = world.broker
  const isCopy = retry.by === 'copy'
  const changed = { ...capabilities, ...(isCopy && { move: 'none' as const }), retry: { ...capabilities.retry, ...retry } }
  return { transport: { ...world.broker, capabilities: changed } }
}

const everyRun = [
  '1 RangeError failure number 1',
  '1 RangeError failure number 2',
  '2 RangeError failure number 3',
  '2 RangeError failure number 4',
  '3 RangeError failure number 5',
  '3 RangeError failure number 6',
]

describe('a letter tells of every run that failed', () => {
  const options = { maxDeliveryCount: 3, retry: { immediate: 1 } }

  it('where the broker keeps what a retry tells it', async () => {
    const world = testingWorld()
    await world.consume(failsAnew(), options)
    await world.put(1)
    await world.clock.advance(hour)
    expect(await failedRunsInTheLetter(world)).toEqual(everyRun)
  })

  it('where a retry is a copy', async () => {
    const world = testingWorld()
    await world.consume(failsAnew(), options, withRetry(world, { by: 'copy', inPlace: false, headers: false }))
    await world.put(1)
    await world.clock.advance(hour)
    expect(await failedRunsInTheLetter(world)).toEqual(everyRun)
  })

  it('of the last turn, where the broker keeps nothing', async () => {
    const world = testingWorld()
    await world.consume(failsAnew(), options, withRetry(world, { headers: false }))
    await world.put(1)
    await world.clock.advance(hour)
    expect(await failedRunsInTheLetter(world)).toEqual(everyRun.slice(-2))
  })

  it('and not of a single one, which is the failure itself', async () => {
    const world = testingWorld()
    await world.consume(failsAnew(), { maxDeliveryCount: 1, retry: { immediate: 0 } })
    await world.put(1)
    await world.clock.advance(hour)
    const [letter] = await world.letters()
    expect(header(letter?.headers ?? [], redriveHeaders.failedRuns)).toBeUndefined()
  })
})

it('what a producer claims of earlier runs is nothing that a letter tells', async () => {
  const world = testingWorld()
  await world.consume(failsAnew(), { maxDeliveryCount: 2, retry: { immediate: 0 } })
  const claimed = { attempt: 7, at: 1, errorType: 'Forged', description: 'by a producer' }
  await world.put(1, { headers: [[redriveHeaders.failedRuns, failedRunsText([claimed])]] })
  await world.clock.advance(hour)
  expect(await failedRunsInTheLetter(world)).toEqual(['1 RangeError failure number 1', '2 RangeError failure number 2'])
})

it('where there is no room to tell of runs, the message is tried again all the same', async () => {
  const world = testingWorld()
  const { transport } = withRetry(world, {})
  const { messages } = transport.capabilities
  const tight = { ...transport, capabilities: { ...transport.capabilities, messages: { ...messages, maxHeaders: 1_100 } } }
  await world.consume(failsAnew(), { maxDeliveryCount: 3, retry: { immediate: 0 } }, { transport: tight })
  await world.put(1, { headers: [['trace', 'x'.repeat(1_060)]] })
  await world.clock.advance(hour)
  const [letter] = await world.letters()
  expect(textHeader(letter?.headers ?? [], 'redrive-failed-attempts')).toBe('3')
  expect(await failedRunsInTheLetter(world)).toEqual([])
})

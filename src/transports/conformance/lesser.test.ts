import { describe, expect, test } from 'vitest'
import { subject } from '../memory/conformance-subject.ts'
import { allScenarios } from './all-scenarios.ts'
import { type Lack, lacks } from './lesser.ts'
import { examine } from './report.ts'
import type { Subject } from './subject.ts'
import type { Twin } from './twins/planting.ts'
import { twinOf } from './twins.ts'

const declaring =
  ({ declare }: Lack): Twin =>
  () =>
  (transport) => ({ ...transport, capabilities: declare(transport.capabilities) })

async function failures(examined: Subject): Promise<string[]> {
  const { verdicts } = await examine(examined, allScenarios)
  return verdicts.filter(({ outcome }) => outcome === 'fails').map(({ scenario, error }) => `${scenario}: ${error}`)
}

const named = Object.entries(lacks)

describe('the suite passes an honest transport that', () => {
  test.each(named)('%s', async (_, lack) => {
    expect(await failures(twinOf(twinOf(subject(), lack.behave), declaring(lack)))).toEqual([])
  })

  test('lacks everything at once that a plain queue lacks', async () => {
    const plain = named.filter(([name]) => name !== 'cannot delay a send' && name !== 'dead-letters without the failure')
    const lesser = plain.reduce((examined, [, lack]) => twinOf(twinOf(examined, lack.behave), declaring(lack)), subject())
    expect(await failures(lesser)).toEqual([])
  })
})

describe('the suite fails a transport that declares more than it keeps, because it', () => {
  test.each(named)('%s', async (_, lack) => {
    expect(await failures(twinOf(subject(), lack.behave))).not.toEqual([])
  })
})

describe('the suite fails a transport that keeps more than it declares, which is that it', () => {
  test.each(named.filter(([, { hiddenAbilityShows }]) => hiddenAbilityShows))('%s', async (_, lack) => {
    expect(await failures(twinOf(subject(), declaring(lack)))).not.toEqual([])
  })
})

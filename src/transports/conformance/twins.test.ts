import { describe, expect, test } from 'vitest'
import { subject } from '../memory/conformance-subject.ts'
import { allScenarios } from './all-scenarios.ts'
import { runScenario } from './run.ts'
import type { Scenario } from './scenario.ts'
import { twinOf, twins } from './twins.ts'

/** A mistake that breaks more than half of the suite is a broken transport, not a plausible mistake. */
const mostlyHealthy = 0.5

/** How a scenario judges a twin: `undefined` when it sees nothing wrong. */
async function judgement(scenario: Scenario, twin: string): Promise<unknown> {
  const memory = subject()
  try {
    await runScenario(twinOf(memory, twins[twin] ?? expect.unreachable(`There is no twin that ${twin}.`)), scenario)
    return undefined
  } catch (error) {
    return error
  } finally {
    await memory.close?.()
  }
}

/** A scenario that stumbles is not one that judges: a mistake in the twin itself would show as one of these. */
function isStumble(error: unknown): boolean {
  return error instanceof TypeError || error instanceof ReferenceError || error instanceof RangeError
}

const pairs = allScenarios.flatMap((scenario) => scenario.catches.map((twin) => ({ scenario, name: scenario.name, twin })))

test('every scenario names a mistake that it catches, and every mistake is caught by some scenario', () => {
  expect(allScenarios.filter(({ catches }) => catches.length === 0).map(({ name }) => name)).toEqual([])
  expect([...new Set(pairs.map(({ twin }) => twin))].sort()).toEqual(Object.keys(twins).sort())
})

test('no two scenarios have the same name', () => {
  const names = allScenarios.map(({ theme, name }) => `${theme}: ${name}`)
  expect(new Set(names).size).toBe(names.length)
})

describe('a scenario catches the transport that', () => {
  test.each(pairs)('$twin: $name', async ({ scenario, twin }) => {
    const error = await judgement(scenario, twin)
    expect(error).toBeInstanceOf(Error)
    expect(isStumble(error), String(error)).toBe(false)
  })
})

describe('most of the suite passes with the transport that', () => {
  test.each(Object.keys(twins))('%s', async (twin) => {
    const unrelated = allScenarios.filter(({ catches }, index) => index % 3 === twin.length % 3 && !catches.includes(twin))
    let healthy = 0
    for (const scenario of unrelated) if ((await judgement(scenario, twin)) === undefined) healthy++
    expect(healthy / unrelated.length).toBeGreaterThan(mostlyHealthy)
  })
})

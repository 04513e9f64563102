import { describe, expect, test } from 'vitest'
import { memorySubject } from '../memory/memory-subject.ts'
import { allScenarios } from './all-scenarios.ts'
import { runScenario } from './run.ts'
import type { Scenario } from './scenario.ts'
import { twinOf, twins } from './twins.ts'

/** A mistake that breaks more than this share of the suite is a broken transport, not a plausible mistake. */
const mostlyHealthy = 0.6

async function passes(scenario: Scenario, twin: string): Promise<boolean> {
  const subject = memorySubject()
  try {
    await runScenario(twinOf(subject, twins[twin] ?? expect.unreachable(`There is no twin that ${twin}.`)), scenario)
    return true
  } catch {
    return false
  } finally {
    await subject.close?.()
  }
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
    expect(await passes(scenario, twin)).toBe(false)
  })
})

describe('most of the suite passes with the transport that', () => {
  test.each(Object.keys(twins))('%s', { timeout: 60_000 }, async (twin) => {
    const unrelated = allScenarios.filter(({ catches }) => !catches.includes(twin))
    let healthy = 0
    for (const scenario of unrelated) if (await passes(scenario, twin)) healthy++
    expect(healthy / unrelated.length).toBeGreaterThan(mostlyHealthy)
  })
})

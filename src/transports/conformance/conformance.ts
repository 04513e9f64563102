import { afterAll, describe, expect, test } from 'vitest'
import { shortfalls } from '../required-capabilities.ts'
import { allScenarios } from './all-scenarios.ts'
import { runScenario } from './run.ts'
import { themes } from './scenario.ts'
import type { Subject } from './subject.ts'

/** Registers the whole suite for one transport: a transport's test file is a constructor and this call. */
export function conformance(subject: Subject): void {
  describe(`${subject.label ?? subject.name} conforms`, () => {
    afterAll(async () => subject.close?.())

    test('it has every capability that its row demands', async () => {
      const transport = await subject.open()
      expect(shortfalls(subject.name, transport.capabilities)).toEqual([])
      await transport.close()
    })

    describe.each(themes)('%s', (theme) => {
      const scenarios = allScenarios.filter((scenario) => scenario.theme === theme)
      test.each(scenarios)('$name', { timeout: 300_000 }, async (scenario) => {
        await runScenario(subject, scenario)
      })
    })
  })
}

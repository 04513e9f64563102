import assert from 'node:assert/strict'
import { expect, test } from 'vitest'
import { subject } from '../memory/conformance-subject.ts'
import { conforms, examine, table } from './report.ts'
import { type Scenario, scenariosOf } from './scenario.ts'

const scenarios: readonly Scenario[] = scenariosOf('send', [
  { name: 'good is good', catches: [], run: async () => undefined },
  {
    name: 'what cannot be is refused',
    catches: [],
    needs: () => false,
    run: () => assert.fail(),
    otherwise: async () => undefined,
  },
])
const bad: readonly Scenario[] = scenariosOf('crash', [
  { name: 'bad is good', catches: [], run: () => assert.fail('It is bad.') },
])

test('a transport conforms when every sentence holds or is refused as declared', async () => {
  const report = await examine(subject(), scenarios)
  expect(report.verdicts.map(({ outcome }) => outcome)).toEqual(['holds', 'refuses'])
  expect(conforms(report)).toBe(true)
  expect(table([report])).toMatch(/memory conforms: 1 hold, 1 refuse, 0 fail/)
})

test('one failure is enough not to conform, and the table says which', async () => {
  const report = await examine(subject(), [...scenarios, ...bad])
  expect(conforms(report)).toBe(false)
  expect(table([report])).toMatch(/crash: bad is good\s+✗/)
  expect(table([report])).toContain('It is bad.')
})

test('a capability below its row is enough not to conform', async () => {
  const poorer = { ...subject(), name: 'kafka' }
  const report = await examine(poorer, scenarios)
  expect(conforms(report)).toBe(false)
  expect(table([report])).toContain('kafka: hold is lock; kafka needs offset.')
})

import { expect, it } from 'vitest'
import { only, orders, play } from './timeline.fixture.ts'

it('an alert shows what its rule says: where to read on, and whether ids are shown', () => {
  const rules = only('dlq.any').map((rule) => ({ ...rule, runbook: 'https://wiki' }))
  const told = (correlationIds: boolean): object => {
    const t = play({ rules: rules.map((rule) => ({ ...rule, correlationIds })) })
    t.see({ letters: 1 }, orders, { correlationIds: ['order-1'] })
    const [alert] = t.sayings[0]?.notification.alerts ?? []
    return { runbook: alert?.runbook, ids: alert?.correlationIds }
  }
  expect(told(true)).toEqual({ runbook: 'https://wiki', ids: ['order-1'] })
  expect(told(false)).toEqual({ runbook: 'https://wiki', ids: [] })
})

it('what is forgotten is told to be over', () => {
  const t = play({ rules: only('dlq.any') })
  t.see({ letters: 1 })
  t.pass('1m')
  t.forget(orders)
  t.pass('10m')
  expect(t.lines).toEqual(['0ms first: dlq.any firing', '5m all-resolved: dlq.any resolved'])
})

it('what was seen before a restart is counted on', () => {
  const t = play({ rules: only('dlq.publish.failed') })
  t.see({ publishFailedTotal: 5 })
  t.restart('1s')
  t.see({ publishFailedTotal: 6 })
  expect(t.lines).toEqual(['1s first: dlq.publish.failed firing'])
})

import { describe, expect, it } from 'vitest'
import { usualTimers } from '../core/alerts/grouping.ts'
import { readConfig } from './read-config.ts'

const origin = { file: 'redrive.yaml', folder: '/etc/redrive', environment: {} }

describe('when people are told, in a configuration', () => {
  it('is as Alertmanager has it where nothing is said, also as the core knows it', async () => {
    const { alerting } = await readConfig('vault: v.db', origin)
    expect(alerting).toEqual({ timers: usualTimers, redactHosts: false })
  })

  it('is what is written', async () => {
    const line = 'alerting: { wait: 0s, interval: 1m, repeat: 12h, repeatCritical: 1h, redactHosts: true }'
    const timers = { wait: 0, interval: 60_000, repeat: 43_200_000, repeatCritical: 3_600_000 }
    expect((await readConfig(line, origin)).alerting).toEqual({ timers, redactHosts: true })
  })

  it.each([
    ['{ repeat: 1s }', /alerting\.repeat is "1s"\. Allowed: a duration from 1m to 30d/],
    ['{ repeatcritical: 1h }', /alerting\.repeatcritical is not an option\. Did you mean repeatCritical\?/],
    ['{ redactHosts: maybe }', /alerting\.redactHosts is "maybe"\. Allowed: true or false/],
  ])('%s is a mistake that is told', async (line, problem) => {
    await expect(readConfig(`alerting: ${line}`, origin)).rejects.toThrow(problem)
  })
})

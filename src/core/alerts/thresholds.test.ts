import { describe, expect, it } from 'vitest'
import type { Values } from './sample.ts'
import { cause, only, orders, type Play, play } from './timeline.fixture.ts'

const minute = 60_000
const hour = 60 * minute
const shop = { source: 'shop' }

/** Whether a rule fires once what it needs has been seen for as long as it wants. */
function fires(rule: string, story: (play: Play) => void): boolean {
  const t = play({ rules: only(rule).filter(({ id }) => id === rule) })
  story(t)
  return t.alerts.some(({ state }) => state.phase === 'firing')
}

/** The same measurement, seen every minute for as long as any `for`. */
const steady =
  (values: Values, subject = orders): ((play: Play) => void) =>
  (t) => {
    for (let seen = 0; seen < 12; seen++) {
      t.see(values, subject)
      t.pass('1m')
    }
  }

/** So many of a thousand messages, spread evenly over the longest window. */
const of1000 =
  (measurement: keyof Values, count: number): ((play: Play) => void) =>
  (t) => {
    for (let seen = 0; seen <= 240; seen++) {
      t.see({ handledTotal: seen * 1000, [measurement]: seen * count })
      t.pass('30s')
    }
  }

const letters = (count: number) => steady({ letters: count })

describe('the thresholds of the seeds', () => {
  it.each<[string, string, (play: Play) => void, boolean]>([
    ['seed 000: 0 letters are no alert', 'dlq.any', letters(0), false],
    ['seed 000: 1 letter is critical', 'dlq.any', letters(1), true],
    ['seed 000: 2 letters are critical', 'dlq.any', letters(2), true],
    ['seed 001: 99 letters are no warning', 'dlq.count', letters(99), false],
    ['seed 001: 100 letters are no warning', 'dlq.count', letters(100), false],
    ['seed 001: 101 letters are a warning', 'dlq.count', letters(101), true],
    ['seed 001: 999 letters are not critical', 'dlq.count.critical', letters(999), false],
    ['seed 001: 1,000 letters are not critical', 'dlq.count.critical', letters(1000), false],
    ['seed 001: 1,001 letters are critical', 'dlq.count.critical', letters(1001), true],
    ['seed 001: 9.9 % of processed messages are not critical', 'fail.ratio.acute', of1000('deadLetteredTotal', 99), false],
    ['seed 001: 10 % of processed messages are not critical', 'fail.ratio.acute', of1000('deadLetteredTotal', 100), false],
    ['seed 001: 10.1 % of processed messages are critical', 'fail.ratio.acute', of1000('deadLetteredTotal', 101), true],
    ['seed 003: 0.9 % of the throughput is no warning', 'fail.ratio', of1000('deadLetteredTotal', 9), false],
    ['seed 003: 1 % of the throughput is no warning', 'fail.ratio', of1000('deadLetteredTotal', 10), false],
    ['seed 003: 1.1 % of the throughput is a warning', 'fail.ratio', of1000('deadLetteredTotal', 11), true],
    ['seed 003: 4.9 % of the throughput is not critical', 'fail.ratio.critical', of1000('deadLetteredTotal', 49), false],
    ['seed 003: 5 % of the throughput is not critical', 'fail.ratio.critical', of1000('deadLetteredTotal', 50), false],
    ['seed 003: 5.1 % of the throughput is critical', 'fail.ratio.critical', of1000('deadLetteredTotal', 51), true],
    ['seed 003: 4 letters of a new error type are no spike', 'error.spike', newCause(4), false],
    ['seed 003: 5 letters of a new error type are a spike', 'error.spike', newCause(5), true],
    ['seed 003: 6 letters of a new error type are a spike', 'error.spike', newCause(6), true],
    ['seed 003: no failure to publish a letter is no alert', 'dlq.publish.failed', publishFailures(0), false],
    ['seed 003: 1 failure to publish a letter is critical', 'dlq.publish.failed', publishFailures(1), true],
    ['seed 003: 2 failures to publish a letter are critical', 'dlq.publish.failed', publishFailures(2), true],
    ['seed 000: 2 failed probes are no alert', 'probe.failed', failedProbes(2), false],
    ['seed 000: 3 failed probes are an alert', 'probe.failed', failedProbes(3), true],
    ['seed 000: 4 failed probes are an alert', 'probe.failed', failedProbes(4), true],
  ])('%s', (_, rule, story, expected) => {
    expect(fires(rule, story)).toBe(expected)
  })

  it('seed 000, 001 and 003: each has the severity that it asks for', () => {
    const severities = [
      'dlq.any',
      'dlq.count',
      'dlq.count.critical',
      'fail.ratio.acute',
      'fail.ratio',
      'fail.ratio.critical',
      'error.spike',
      'dlq.publish.failed',
    ]
    expect(severities.map((id) => only(id).find((rule) => rule.id === id)?.severity)).toEqual([
      ...['critical', 'warning', 'critical', 'critical', 'warning', 'critical', 'warning', 'critical'],
    ])
  })
})

describe('the thresholds of ours', () => {
  it.each<[string, string, (play: Play) => void, boolean]>([
    ['a letter of 24 h is no warning', 'dlq.oldest.age', steady({ oldestAge: 24 * hour }), false],
    ['a letter that is older is one', 'dlq.oldest.age', steady({ oldestAge: 24 * hour + 1 }), true],
    ['a letter of 72 h is not critical', 'dlq.oldest.age.critical', steady({ oldestAge: 72 * hour }), false],
    ['a letter that is older is', 'dlq.oldest.age.critical', steady({ oldestAge: 72 * hour + 1 }), true],
    ['70 % of the retention is no warning', 'dlq.retention', steady({ retentionUsed: 0.7 }), false],
    ['more than that is', 'dlq.retention', steady({ retentionUsed: 0.71 }), true],
    ['more than 90 % of the retention is critical', 'dlq.retention.critical', steady({ retentionUsed: 0.91 }), true],
    ['10,000 waiting messages are no lag', 'source.lag', steady({ lag: 10_000 }), false],
    ['10,001 are', 'source.lag', steady({ lag: 10_001 }), true],
    ['a lag that shrinks is fine', 'source.lag.stuck', lags((n) => 100 - n), false],
    ['a lag that does not shrink for 15 minutes is not', 'source.lag.stuck', lags(() => 100), true],
    ['a lag that was gone in between is fine', 'source.lag.stuck', lags((n) => (n === 10 ? 0 : 100)), false],
    ['waiting messages with a consumer are fine', 'consumer.none', steady({ lag: 5, consumers: 1 }), false],
    ['waiting messages without one are not', 'consumer.none', steady({ lag: 5, consumers: 0 }), true],
    ['nothing waits, so nobody is missed', 'consumer.none', steady({ lag: 0, consumers: 0 }), false],
    ['10 % of retries are fine', 'retry.ratio', of1000('retriedTotal', 100), false],
    ['10.1 % are not', 'retry.ratio', of1000('retriedTotal', 101), true],
    ['an inflow of 50 in ten minutes is fine', 'dlq.growth', inflow(5), false],
    ['an inflow of 60 in ten minutes is not', 'dlq.growth', inflow(6), true],
    ['20 % of free disk are fine', 'store.disk', steady({ diskFree: 0.2 }, { source: '' }), false],
    ['less is not', 'store.disk', steady({ diskFree: 0.19 }, { source: '' }), true],
    ['5 % of free disk are not critical', 'store.disk.critical', steady({ diskFree: 0.05 }, { source: '' }), false],
    ['less is', 'store.disk.critical', steady({ diskFree: 0.04 }, { source: '' }), true],
    ['a replay without progress for 5 minutes is fine', 'replay.stuck', steady({ replayStuckFor: 5 * minute }), false],
    ['for longer is not', 'replay.stuck', steady({ replayStuckFor: 5 * minute + 1 }), true],
    ['half of a replay that comes back is fine', 'replay.loop', steady({ replayReturned: 0.5 }), false],
    ['more is not', 'replay.loop', steady({ replayReturned: 0.51 }), true],
    ['a replay that was started at its time is fine', 'replay.missed', steady({ replayMissed: 0 }), false],
    ['one that was not is not', 'replay.missed', steady({ replayMissed: 1 }), true],
    ['a sink that fails for 10 minutes is fine', 'sink.failing', steady({ sinkFailingFor: 10 * minute }), false],
    ['for longer is not', 'sink.failing', steady({ sinkFailingFor: 10 * minute + 1 }), true],
    ['an hour until messages are lost is fine', 'time.to.loss', steady({ untilLoss: hour }), false],
    ['less is not', 'time.to.loss', steady({ untilLoss: hour - 1 }), true],
    ['counters that agree are fine', 'conservation.broken', steady({ difference: 0 }), false],
    ['counters that do not are not', 'conservation.broken', steady({ difference: 1 }), true],
    ['an empty spool is fine', 'spool.not.empty', steady({ spooled: 0 }), false],
    ['one that is not empty is not', 'spool.not.empty', steady({ spooled: 1 }), true],
    ['a channel that runs is fine', 'breaker.open', steady({ breakerOpen: 0 }), false],
    ['one that its breaker paused is not', 'breaker.open', steady({ breakerOpen: 1 }), true],
    ['an unsafe setting is told', 'probe.unsafe', steady({ unsafeSettings: 1 }, shop), true],
    ['a new cause is told', 'cause.new', steady({ causeIsNew: 1 }, cause), true],
    ['a cause that came back is told', 'cause.regressed', steady({ causeRegressed: 1 }, cause), true],
    [
      '49 of 50 sources that fail are no outage',
      'broker.down',
      steady({ probedSources: 50, failingSources: 49, failuresInARow: 3 }, shop),
      false,
    ],
    ['50 of 50 are', 'broker.down', steady({ probedSources: 50, failingSources: 50, failuresInARow: 3 }, shop), true],
    [
      '50 of 50 that fail once are a hiccup',
      'broker.down',
      steady({ probedSources: 50, failingSources: 50, failuresInARow: 2 }, shop),
      false,
    ],
    ['a known cause at five times its mean is no spike', 'error.spike', knownCause(10, 50), false],
    ['one above five times its mean is', 'error.spike', knownCause(10, 51), true],
    ['19 letters of a rare cause are below the floor', 'error.spike', knownCause(1, 19), false],
    ['20 letters of a rare cause are a spike', 'error.spike', knownCause(1, 20), true],
    ['99 messages are too few for a share', 'fail.ratio.acute', few(99), false],
    ['100 are enough', 'fail.ratio.acute', few(100), true],
  ])('%s', (_, rule, story, expected) => {
    expect(fires(rule, story)).toBe(expected)
  })

  it('the growth of a queue is compared with what is usual for it', () => {
    const unusual = (last: number): boolean =>
      fires('dlq.growth', (t) => {
        let count = 0
        for (let tenMinutes = 0; tenMinutes < 40; tenMinutes++) {
          t.see({ letters: count })
          t.pass('10m')
          count += tenMinutes < 37 ? 4 : last
        }
      })
    expect(unusual(12)).toBe(false)
    expect(unusual(13)).toBe(true)
  })
})

function newCause(count: number): (play: Play) => void {
  return (t) => {
    t.see({ causeLettersTotal: 0 }, cause)
    t.pass('1m')
    t.see({ causeLettersTotal: count }, cause)
  }
}

function knownCause(mean: number, count: number): (play: Play) => void {
  return (t) => {
    t.see({ causeLettersTotal: 0, causeHourlyMean: mean }, cause)
    t.pass('1m')
    t.see({ causeLettersTotal: count, causeHourlyMean: mean }, cause)
  }
}

function publishFailures(count: number): (play: Play) => void {
  return (t) => {
    t.see({ publishFailedTotal: 7 })
    t.pass('30s')
    t.see({ publishFailedTotal: 7 + count })
  }
}

function failedProbes(count: number): (play: Play) => void {
  return (t) => {
    t.see({ letters: 0 })
    for (let failed = 0; failed < count; failed++) {
      t.pass('5s')
      t.fail()
    }
  }
}

function lags(lag: (n: number) => number): (play: Play) => void {
  return (t) => {
    for (let n = 0; n <= 20; n++) {
      t.see({ lag: lag(n) })
      t.pass('1m')
    }
  }
}

function inflow(aMinute: number): (play: Play) => void {
  return (t) => {
    for (let n = 0; n <= 30; n++) {
      t.see({ letters: n * aMinute })
      t.pass('1m')
    }
  }
}

function few(handled: number): (play: Play) => void {
  return (t) => {
    t.see({ handledTotal: 0, deadLetteredTotal: 0 })
    t.pass('1m')
    t.see({ handledTotal: handled, deadLetteredTotal: Math.ceil(handled / 2) })
  }
}

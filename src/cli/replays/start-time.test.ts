import { expect, test } from 'vitest'
import { deskWith, json } from '../../../test/control/desk.fixture.ts'
import { deadLetter } from '../../../test/control/letters.fixture.ts'
import type { ReplayDetail } from '../../ops/control-plane.ts'
import { startTimeOf } from './start-time.ts'

const now = Date.UTC(2026, 10, 17)

test.each([
  [{}, undefined],
  [{ in: '2h' }, now + 7_200_000],
  [{ at: '2026-11-20T03:00Z' }, Date.UTC(2026, 10, 20, 3)],
  [{ at: '2026-11-20T03:00:30.5+01:00' }, Date.UTC(2026, 10, 20, 2, 0, 30, 500)],
])('%j is %j', (options, time) => {
  expect(startTimeOf(options, now)).toBe(time)
})

test.each([
  { at: '2026-11-20T03:00' },
  { at: 'tomorrow' },
  { at: '2026-13-20T03:00Z' },
  { in: 'soon' },
  { in: '1h', at: '2026-11-20T03:00Z' },
])('%j is refused', (options) => {
  expect(() => startTimeOf(options, now)).toThrow(expect.objectContaining({ code: 'bad-option' }))
})

test('a replay is sealed with its time, given another one and cancelled, and sends nothing; listing does none of that', async () => {
  const here = await deskWith({ letters: [1, 2].map((n) => deadLetter({ n })) })
  const { replay } = await json<ReplayDetail>(here, 'replay', 'state:open', '--in', '2h', '--yes')
  expect(replay).toMatchObject({ state: 'scheduled', scheduledBy: 'ana', letters: 2 })
  const told = await here.redrive('replay-status', String(replay.id), '--at', '2099-01-01T00:00Z')
  expect(told).toMatchObject({ err: expect.stringContaining('more than a year away') })
  const again = await json<ReplayDetail>(here, 'replay-status', String(replay.id), '--in', '3h')
  expect(again.replay.startsAt).toBeGreaterThan(replay.startsAt ?? 0)
  expect((await here.redrive('replay-status', String(replay.id))).out).toMatch(/starts at .*, by ana/)
  expect((await here.redrive('replays')).out).toContain('scheduled')
  for (const act of [['--cancel'], ['--in', '4h']]) {
    const both = await here.redrive('replay-status', String(replay.id), '--failures', ...act)
    expect(both).toMatchObject({ status: 2, err: expect.stringContaining('--failures only lists') })
  }
  const line = (await here.redrive('replay-status', String(replay.id), '--jsonl')).out
  expect(JSON.parse(line)).toMatchObject({ replay: { state: 'scheduled', startsAt: again.replay.startsAt } })
  const cancelled = await json<ReplayDetail>(here, 'replay-status', String(replay.id), '--cancel')
  expect(cancelled).toMatchObject({ replay: { state: 'cancelled' }, counts: { cancelled: 2 } })
})

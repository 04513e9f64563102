import assert from 'node:assert/strict'
import type { Address, Browsed } from '../../seam.ts'
import { type Bench, messageOf } from '../bench.ts'
import { assertSameMessage, label, labels, rejectsWith } from '../expectations.ts'
import { type Scenario, scenariosOf } from '../scenario.ts'

const canBrowse: NonNullable<Scenario['needs']> = ({ browse }) => browse !== 'none'
const canRemove: NonNullable<Scenario['needs']> = ({ remove }) => remove === 'by-position'

async function browseIsRefused(bench: Bench): Promise<void> {
  const work = await bench.channel('work')
  await rejectsWith(bench.transport.browse(work, { limit: 10 }), 'unsupported')
}

async function removeIsRefused(bench: Bench): Promise<void> {
  const work = await bench.channel('work')
  await bench.send(work, 'a')
  await rejectsWith(bench.transport.remove(work, '1'), 'unsupported')
  assert.equal(label((await bench.firstOf(work)).message), 'a')
}

async function allPages(bench: Bench, address: Address, limit: number): Promise<Browsed[]> {
  const shown: Browsed[] = []
  let after: string | undefined
  do {
    const page = await bench.transport.browse(address, after === undefined ? { limit } : { limit, after })
    assert.ok(page.messages.length <= limit, 'A page is longer than its limit.')
    shown.push(...page.messages)
    after = page.next
    assert.ok(shown.length < 100, 'The pages never end.')
  } while (after !== undefined)
  return shown
}

/** Positions of what is in the channel, oldest first. */
async function positionsIn(bench: Bench, address: Address): Promise<string[]> {
  const shown = await allPages(bench, address, 10)
  return shown.map(({ position }) => position ?? assert.fail('A message that can be removed has no position.'))
}

export const browseScenarios: readonly Scenario[] = scenariosOf('browse', [
  {
    name: 'browsing shows the messages, oldest first, and takes none of them away',
    catches: ['consumes what it shows'],
    needs: canBrowse,
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'a', 'b', 'c')
      const shown = await bench.eventually(async () => {
        const page = await bench.transport.browse(work, { limit: 10 })
        assert.equal(page.messages.length, 3)
        return page
      })
      assert.deepEqual(labels(shown.messages), ['a', 'b', 'c'])
      assert.equal(shown.next, undefined)
      const consumer = await bench.consumer(work)
      assert.deepEqual(labels(await consumer.gather(3)).sort(), ['a', 'b', 'c'])
    },
    otherwise: browseIsRefused,
  },
  {
    name: 'looking with a cursor leaves no trace',
    catches: ['takes in order to look'],
    needs: ({ browse }) => browse === 'cursor',
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'a')
      for (const _ of [1, 2, 3]) await bench.transport.browse(work, { limit: 10 })
      const { deliveries, turns, suspect } = await bench.firstOf(work)
      assert.deepEqual([deliveries, turns, suspect], [1, 0, false])
    },
    async otherwise(bench) {
      if (!canBrowse(bench.capabilities)) return browseIsRefused(bench)
      const work = await bench.channel('work')
      await bench.send(work, 'a')
      for (const _ of [1, 2, 3]) await bench.transport.browse(work, { limit: 10 })
      assert.equal(label((await bench.firstOf(work)).message), 'a')
    },
  },
  {
    name: 'pages follow each other without gaps or repetitions',
    catches: ['shows the first page for ever', 'skips one message between pages'],
    needs: canBrowse,
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'a', 'b', 'c', 'd', 'e')
      await bench.eventually(async () => assert.deepEqual(labels(await allPages(bench, work, 2)), ['a', 'b', 'c', 'd', 'e']))
    },
    otherwise: browseIsRefused,
  },
  {
    name: 'an empty channel shows an empty page',
    catches: ['rejects where there is nothing to show'],
    needs: canBrowse,
    async run(bench) {
      const page = await bench.transport.browse(await bench.channel('work'), { limit: 10 })
      assert.deepEqual([page.messages.length, page.next], [0, undefined])
    },
    otherwise: browseIsRefused,
  },
  {
    name: 'a browsed message is shown whole',
    catches: ['shows the body alone'],
    needs: canBrowse,
    async run(bench) {
      const work = await bench.channel('work')
      const headers = [['tenant', 'north']] as const
      const sent = messageOf('a', { type: 'order', contentType: 'text/plain', correlationId: 'c-1', key: 'k', headers })
      await bench.transport.send(work, sent)
      const [shown] = await bench.eventually(async () => {
        const page = await bench.transport.browse(work, { limit: 1 })
        assert.equal(page.messages.length, 1)
        return page.messages
      })
      assert.ok(shown)
      assertSameMessage(shown.message, sent, bench.capabilities)
    },
    otherwise: browseIsRefused,
  },
  {
    name: 'browsing a channel that does not exist is refused',
    catches: ['shows nothing where it failed'],
    needs: canBrowse,
    run: (bench) => rejectsWith(bench.transport.browse(bench.absent('nowhere'), { limit: 1 }), 'unknown-channel'),
    otherwise: (bench) =>
      rejectsWith(bench.transport.browse(bench.absent('nowhere'), { limit: 1 }), 'unsupported', 'unknown-channel'),
  },
  {
    name: 'a removed message is gone, and its neighbours stay',
    catches: ['removes another message'],
    needs: canRemove,
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'a', 'b', 'c')
      const [, second] = await positionsIn(bench, work)
      assert.equal(await bench.transport.remove(work, second ?? ''), true)
      const consumer = await bench.consumer(work)
      assert.deepEqual(labels(await consumer.gather(2)).sort(), ['a', 'c'])
      await consumer.nothing()
    },
    otherwise: removeIsRefused,
  },
  {
    name: 'removing what is not there says so',
    catches: ['says removed whatever happened'],
    needs: canRemove,
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'a')
      const [position = ''] = await positionsIn(bench, work)
      assert.equal(await bench.transport.remove(work, position), true)
      assert.equal(await bench.transport.remove(work, position), false)
    },
    otherwise: removeIsRefused,
  },
  {
    name: 'a message that somebody holds is not removed',
    catches: ['says removed whatever happened'],
    needs: canRemove,
    async run(bench) {
      const work = await bench.channel('work')
      await bench.send(work, 'a')
      const [position = ''] = await positionsIn(bench, work)
      const consumer = await bench.consumer(work)
      const delivery = await consumer.next()
      assert.equal(await bench.transport.remove(work, position), false)
      await consumer.settle(delivery, { kind: 'release' })
      assert.equal(label((await consumer.next()).message), 'a')
    },
    otherwise: removeIsRefused,
  },
])

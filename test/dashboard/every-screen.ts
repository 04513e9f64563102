import { createSink } from '../../src/notifiers/kinds.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { openShop, type Shop } from './given.ts'

/** Every screen with something on it, and what tells that it is there. */
export const everyScreen: readonly (readonly [path: string, sign: string])[] = [
  ['/', 'Nobody brings parcels there'],
  ['/?state=archived', 'No cause is archived'],
  ['/?filter=reason:Carrier', '3 match'],
  ['/overview', 'where the rules begin to hold'],
  ['/causes/1', 'What they have in common'],
  ['/letters', 'in all'],
  ['/letters?filter=state:expired', 'No letter matches'],
  ['/letters/1', 'Written as'],
  ['/replay?letters=1', '1 letter.'],
  ['/replays', 'for the tour'],
  ['/replays/1', 'Nothing is sent before it is started.'],
  ['/sources', 'Every letter that was ever kept'],
  ['/alerts', 'Letters in a dead-letter queue'],
  ['/alerts/silences', 'ends in'],
  ['/alerts/rules', 'letters is above 0'],
  ['/alerts/notifiers', 'Send a test'],
  ['/consumers', 'heard of'],
  ['/audit', 'payload.read'],
  ['/people', 'has not set a password'],
  ['/permissions', 'Good until'],
  ['/nowhere', 'There is no such page'],
]

const schema = { type: 'object', properties: { order: { type: 'integer' } } }

/** Letters of two causes, a replay, a silence, somebody who is told, and a look at a payload. */
export async function aShopWithEverything(): Promise<Shop> {
  const tells = [createSink('hook', 'webhook', { url: 'https://hooks.example/alerts' }, { clock: systemClock })]
  const shop = await openShop({ tells, reports: true, schema })
  for (const order of [1, 2, 3]) await shop.order(order, 'DE')
  await shop.order(4, 'XX')
  await shop.untilOpen(4)
  const matchers = [{ name: 'queue', is: '=', value: 'elsewhere' }] as const
  const endsAt = Date.now() + 3_600_000
  await shop.plane.alerts.silence({ matchers, reason: 'a tour', endsAt, evenProtected: false, actor: 'ana' })
  await shop.plane.replays.seal(
    { filter: 'state:open' },
    { name: 'for the tour', actor: 'ana', rate: 50, canary: { first: 1, growth: 5, tolerated: 0 }, observe: 1000 },
  )
  const { secret } = await shop.person({ name: 'ana' })
  await fetch(`${shop.address}/api/v1/letters/1/content`, { headers: { cookie: `redrive=${secret}` } })
  return shop
}

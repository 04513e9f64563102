import { afterAll, describe, expect, test } from 'vitest'
import type { FaultyWay } from '../../scripts/brokers/toxiproxy.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { toxiproxyForTests } from '../brokers/broker-for-tests.ts'
import { onBrokers } from '../brokers/on-brokers.ts'
import { nothingLost, type Outage, type OutageStory, throughOutages } from './postgres-outage.fixture.ts'

/** An answer is waited for, a lock of a connection that nobody hears any more ends after 15 s, and there are two of these in each. Milliseconds. */
const patience = 480_000

const killed: Outage = { begin: ({ broker }) => broker.kill(), end: ({ broker }) => broker.restart() }
const heal: Outage['end'] = ({ way }) => way.heal()
const cut: Outage = { begin: ({ way }) => way.cut(), end: heal }
const unheardByServer: Outage = { begin: ({ way }) => way.swallow('upstream'), end: heal }
const unheardByUs: Outage = { begin: ({ way }) => way.swallow('downstream'), end: heal }

/** Says that letters are kept before anybody has written them. */
function confirmingEarly(vault: Vault): Vault {
  const write = async (name: string, input: { arrivals: readonly unknown[] }): Promise<unknown> => {
    if (name !== 'ingest') return vault.write(name as never, input as never)
    void vault.write(name, input as never).catch(() => {})
    return { letters: input.arrivals.map(() => ({ id: 0, duplicate: false })), reopenedCauses: [] }
  }
  return { ...vault, write: write as Vault['write'] }
}

/** Forgets what became of letters whose fate it could not write down at once. */
function forgettingFates(vault: Vault): Vault {
  const write = async (name: string, input: { most: number; name: string }): Promise<unknown> => {
    // Only who writes down once more what could not be written gives no name.
    if (name === 'advanceReplay' && input.name === '') return undefined
    return vault.write(name as never, input as never)
  }
  return { ...vault, write: write as Vault['write'] }
}

const toxiproxy = await toxiproxyForTests()

if ('notRun' in toxiproxy) test(toxiproxy.notRun, () => expect(process.env['CI']).toBeFalsy())
else {
  afterAll(() => toxiproxy.stop())
  await onBrokers('postgres', ['15'], (broker) => {
    let way: Promise<FaultyWay> | undefined
    const ground = async () => {
      way ??= toxiproxy.before(Number(new URL(broker.url).port))
      return { broker, way: await way }
    }

    describe('a control plane that collects and replays, whose vault', () => {
      test.each<readonly [string, OutageStory]>([
        ['is on a server that is killed -9 and started again', { outage: killed }],
        ['is cut off', { outage: cut }],
        ['is cut off before it hears what became of letters', { outage: cut, inReplay: 'between claim and record' }],
        ['hears nothing on connections that stay open', { outage: unheardByServer }],
        ['does not answer on connections that stay open', { outage: unheardByUs }],
      ])(
        '%s loses nothing, does nothing twice, and goes on by itself',
        async (_, story) => expect(await throughOutages(await ground(), story)).toEqual(nothingLost),
        patience,
      )

      test(
        'planted bug: one that confirms letters before they are written is seen to lose them',
        async () => {
          const { notKept } = await throughOutages(await ground(), { outage: killed, plant: confirmingEarly })
          expect(notKept).toBeGreaterThan(0)
        },
        patience,
      )

      test(
        'planted bug: one that forgets what became of letters is seen to doubt those that have arrived',
        async () => {
          const { doubtedInVain } = await throughOutages(await ground(), {
            outage: cut,
            inReplay: 'between claim and record',
            plant: forgettingFates,
          })
          expect(doubtedInVain).toBeGreaterThan(0)
        },
        patience,
      )
    })
  })
}

import { type Broker, startBroker } from '../../../scripts/brokers/start.ts'
import { openStub } from '../../alerts/stub.ts'
import { type AtEnd, type House, openHouse, origin } from '../../several/instances.ts'
import { seededRandom } from '../../sim/seeded-random.ts'
import { collecting } from './collecting.ts'
import { type Meddle, replaying } from './replaying.ts'
import { telling } from './telling.ts'
import { isSound, type SeveralVerdict } from './verdict.ts'

export interface SeveralRow {
  readonly name: string
  run(): Promise<SeveralVerdict>
  isGood(verdict: SeveralVerdict): boolean
}

/** Three control planes on one PostgreSQL, of which whoever collects, or works, is killed, or frozen for half a minute, at drawn moments. */
export function severalRows(letters: number, strikes: number, seed: number): readonly SeveralRow[] {
  const chance = () => seededRandom(seed)
  const replayed = Math.ceil(letters / 10)
  return [
    row('struck while they collect', async (broker, atEnd) =>
      collecting(await openHouse(broker, '', atEnd), chance(), letters, strikes),
    ),
    row('struck while they replay', async (broker, atEnd) =>
      replaying(await openHouse(broker, '', atEnd), chance(), { letters: replayed, strikes }),
    ),
    row('struck while they tell of alerts', async (broker, atEnd) => {
      const hook = await openStub()
      atEnd(() => hook.close())
      const notifier = `{ type: webhook, url: "${hook.url}", allowAddresses: [127.0.0.1], allowPorts: [${hook.port}] }`
      return telling(
        await openHouse(broker, `notifiers:\n  hook: ${notifier}\nalerting: { wait: 1s, interval: 2s }\n`, atEnd),
        chance(),
        hook,
        Math.min(strikes, mostAlerts),
      )
    }),
    {
      ...row('  planted: one of the letters is taken away, another one sent again (must be found)', async (broker, atEnd) =>
        replaying(await openHouse(broker, '', atEnd), chance(), { letters: Math.min(replayed, 200), strikes: 1, meddle }),
      ),
      isGood: ({ lost, twice }) => lost === 1 && twice === 1,
    },
  ]
}

/** Whoever is told gets ten messages in ten minutes, of which one says that there are letters; what is beyond that waits to be told in one. */
const mostAlerts = 8

function row(name: string, play: (broker: Broker, atEnd: AtEnd) => Promise<SeveralVerdict>): SeveralRow {
  return { name, run: () => onServer(play), isGood: isSound }
}

async function onServer<Result>(work: (broker: Broker, atEnd: AtEnd) => Promise<Result>): Promise<Result> {
  const broker = await startBroker('postgres')
  const endings: (() => Promise<void>)[] = [() => broker.stop()]
  try {
    return await work(broker, (ending) => endings.push(ending))
  } finally {
    for (const ending of endings.toReversed()) await ending()
  }
}

const meddle: Meddle = async ({ transport }: House) => {
  const { messages } = await transport.browse({ name: origin }, { limit: 2 })
  const [one, other] = messages
  if (one?.position === undefined || !other) throw new Error('There is nothing to meddle with.')
  await transport.remove({ name: origin }, one.position)
  await transport.send({ name: origin }, other.message)
}

import { createConsumer, createProducer, defineMessage } from '../../src/redrive.ts'
import { memory } from '../../src/transports/memory/memory.ts'

interface Reading {
  readonly sensor: string
  readonly value: number
}

const transport = memory()
const consumer = createConsumer({ transport, service: 'metering', logger: false })
const ReadingTaken = defineMessage<Reading>('reading.taken', undefined, { key: ({ sensor }) => sensor })

consumer.channel('reading.taken', { deadLetter: 'dlq.reading.taken' }).onBatch(
  ReadingTaken,
  async (readings) => {
    const refused = await insertAll(readings.map(({ value }) => value))
    return readings.map((reading) => {
      const why = refused.get(reading.value)
      return why === undefined ? reading.done() : reading.deadLetter('Refused', why)
    })
  },
  { size: 500, wait: '200ms' },
)
// The page shows everything above. Below: a table that refuses one row, the readings, and the end.

/** Stands for a bulk insert that says which rows it did not take. */
async function insertAll(rows: readonly Reading[]): Promise<ReadonlyMap<Reading, string>> {
  inserted += rows.filter(({ value }) => value >= 0).length
  return new Map(rows.filter(({ value }) => value < 0).map((row) => [row, 'a meter does not run backwards']))
}

let inserted = 0
const buried = new Promise<void>((resolve) =>
  consumer.on('dead-lettered', ({ reason, description, to }) => {
    console.log(`one reading is in ${to}: ${reason}, ${description}`)
    resolve()
  }),
)
await consumer.start()
const producer = createProducer({ transport })
for (let n = 0; n < 99; n++) await producer.send(ReadingTaken, { sensor: `s${n % 7}`, value: n })
await producer.send(ReadingTaken, { sensor: 's1', value: -1 })
await buried
await consumer.stop()
console.log(`${inserted} readings were inserted, ${(await transport.measure({ name: 'reading.taken' })).retained} are left`)
await transport.close()

import { randomBytes } from 'node:crypto'
import { resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import { channels } from '../../examples/02-payments/messages.ts'
import { createControlPlane } from '../../src/ops/create-control-plane.ts'
import { newUuid } from '../../src/platform/chance.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { servicebus } from '../../src/transports/servicebus/servicebus.ts'
import { openVault } from '../control/letters.fixture.ts'
import { startProgram } from '../program.ts'
import { type ServiceBusServer, startServer } from '../servicebus/server.ts'
import { until } from '../until.ts'

/** Bounds what hangs, and not what is slow. Milliseconds. */
const patience = 240_000
const by = { actor: 'ana' }
let server: ServiceBusServer
let dead = 0

beforeAll(async () => {
  server = await startServer()
})

afterAll(() => server.stop())

describe('the payments on Service Bus', { timeout: patience }, () => {
  test('are all settled or dead, and the monitor consumes none of the dead', async () => {
    const where = ['--url', server.connectionString, '--admin-url', server.adminEndpoint]
    const args = ['--transport', 'servicebus', ...where, '--once', '--count', '20', '--seed', '7']
    const payments = startProgram(resolve('examples/02-payments/main.ts'), args)
    const code = await payments.exit
    const [, settled, buried] = /created 20, settled (\d+), dead-lettered (\d+), invalid 0, open 0/.exec(payments.output()) ?? []
    expect([code, Number(settled) + Number(buried)]).toEqual([0, 20])
    expect(payments.output()).toContain(`the dead-letter channel holds ${buried}; the monitor consumed none`)
    dead = Number(buried)
  })

  test('stand in the inbox when they are dead, and are sent back to where they failed', async () => {
    expect(dead).toBeGreaterThan(0)
    const bus = servicebus({ connectionString: server.connectionString, adminEndpoint: server.adminEndpoint })
    const plane = createControlPlane({
      vault: openVault(),
      clock: systemClock,
      newId: newUuid,
      draw: randomBytes,
      sources: [{ connection: 'bus', transport: bus, address: { name: channels.deadSettlements }, mode: 'collect' }],
      transportNamed: (name) => (name === 'bus' ? bus : undefined),
    })
    onTestFinished(async () => {
      await plane.close()
      await bus.close()
    })
    await plane.start()
    const open = async () => (await plane.letters.find({ filter: 'state:open', limit: 100 })).letters
    await until('every letter is in the inbox', async () => (await open()).length === dead, patience)
    expect(new Set((await open()).map(({ channel }) => channel))).toEqual(new Set([channels.settlements]))

    const wishes = { ...by, name: 'the bank is back', rate: 1000, canary: undefined, observe: 200 }
    const { replay } = await plane.replays.seal({ filter: 'state:open' }, wishes)
    await plane.replays.start(replay.id, by)
    // Nobody consumes any more, so that what was sent stays where it can be counted.
    const sentBack = async () => (await plane.replays.show(replay.id)).counts.sent === dead
    await until('everything is sent back', sentBack, patience)
    expect(server.namespace.queue(channels.settlements)?.messages.size).toBe(dead)
    const left = () => server.namespace.queue(channels.deadSettlements)?.messages.size
    await until('the service has let go of the letters', () => left() === 0, patience)
  })
})

import { randomBytes } from 'node:crypto'
import { defaultRules } from '../../src/core/alerts/default-rules.ts'
import { createSink } from '../../src/notifiers/kinds.ts'
import { createNotifiers } from '../../src/notifiers/notifiers.ts'
import type { Sink } from '../../src/notifiers/sink.ts'
import { createControlPlane } from '../../src/ops/create-control-plane.ts'
import type { ConfiguredSource } from '../../src/ops/sources.ts'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import { memory } from '../../src/transports/memory/memory.ts'
import { sqliteVault } from '../../src/vault/sqlite/sqlite-vault.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { mailPassword, mailUser } from './mailbox.ts'
import type { Levels, Minute, Setting } from './watched-process.ts'

/**
 * A control plane that watches, on the file of a vault and with real notifiers, until somebody kills it. Its time passes when its parent says so, some
 * seconds at a time, and not before everything that was begun has ended: so no answer is ever late. `forgetful` notes that things were sent before they are.
 */
const setting = JSON.parse(process.argv[2] ?? '') as Setting
const clock = virtualClock({ start: setting.now })
let levels: Levels = setting.levels
let underWay = 0
const atOnce = 5

async function counted<T>(work: Promise<T>): Promise<T> {
  underWay++
  try {
    return await work
  } finally {
    underWay--
  }
}

const file = sqliteVault({ file: setting.file })
const vault: Vault = {
  ...file,
  write: ((name: never, input: never) => counted(file.write(name, input))) as Vault['write'],
  read: ((name: never, input: never) => counted(read(name, input))) as Vault['read'],
}

async function read(name: never, input: never): Promise<unknown> {
  const found = await file.read(name, input)
  if (!setting.isForgetful || name !== ('waitingDeliveries' as never)) return found
  for (const { id } of found as { id: number }[]) await file.write('deliverySent', { id, collapsed: [], now: clock.now() })
  return found
}

function watchful(sink: Sink): Sink {
  return { ...sink, send: (notification, signal) => counted(sink.send(notification, signal)) }
}

const mail = { host: '127.0.0.1', port: setting.mailPort, security: 'none', user: mailUser, password: mailPassword }
const hookPort = Number(new URL(setting.hookUrl).port)
const hook = { url: setting.hookUrl, allowAddresses: ['127.0.0.1'], allowPorts: [hookPort] }
const sinks = [
  createSink('mail', 'mail', { ...mail, from: 'redrive@example.com', to: 'ops@example.com' }, { clock }),
  createSink('hook', 'webhook', hook, { clock }),
].map(watchful)

const broker = memory({ clock })
const sources = Object.keys(levels).map((queue): ConfiguredSource => {
  const measure = async (): Promise<{ retained: number; pending: number }> => {
    const retained = levels[queue] ?? 0
    return { retained, pending: retained }
  }
  const [connection = '', name = ''] = queue.split(' ')
  const transport = { ...broker, capabilities: { ...broker.capabilities, browse: 'disturbing' as const }, measure }
  return { connection, transport, address: { name }, mode: 'watch', probeEvery: 10_000 }
})

const ports = { vault, clock, random: () => 0.5, newId: () => 'id', instance: 'redrive-1' }
const notifiers = createNotifiers({ ...ports, sinks, onProblem: () => {} })
const plane = createControlPlane({
  ...{ ...ports, draw: randomBytes, sources, transportNamed: () => undefined },
  alerting: {
    ...{ rules: defaultRules, windows: [], random: () => 0.5, instance: 'redrive-1' },
    sinks: notifiers.sinks,
    onSaid: notifiers.wake,
  },
})

async function rested(): Promise<void> {
  do await clock.settle()
  while (underWay > 0)
}

process.on('message', async ({ seconds, levels: now }: Minute) => {
  levels = now
  for (let second = 0; second < seconds; second += atOnce) {
    await clock.advance(atOnce * 1000)
    await rested()
  }
  process.send?.('rested')
})
await notifiers.start()
await plane.start()
await rested()
process.send?.('rested')

import { describe, expect, it } from 'vitest'
import { alertFacts, notification } from '../../src/core/alerts/notification.fixture.ts'
import type { Status } from '../../src/core/alerts/notification.ts'
import type { Rule } from '../../src/core/alerts/rule.ts'
import { only, play } from '../../src/core/alerts/timeline.fixture.ts'
import { createSink } from '../../src/notifiers/kinds.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { brokerForTests } from '../brokers/broker-for-tests.ts'
import { onBrokers } from '../brokers/on-brokers.ts'
import { openStub, type StubRequest } from './stub.ts'

const never = new AbortController().signal

/** What becomes of which queues at one time. */
type Step = Readonly<Record<string, Status>>

const steps: readonly Step[] = [
  { 'shop/q1': 'firing', 'shop/q2': 'firing' },
  { 'shop/q3': 'firing' },
  { 'shop/q1': 'resolved' },
  // The same again is no news; the other group is, and tells when to go on.
  { 'shop/q2': 'firing', 'billing/q9': 'firing' },
  { 'shop/q2': 'resolved', 'shop/q3': 'resolved' },
  { 'billing/q9': 'resolved' },
]

function subjectOf(name: string): { source: string; queue: string } {
  const [source = '', queue = ''] = name.split('/')
  return { source, queue }
}

/** What our groups say at each step, in virtual time. */
function ourDecisions(): readonly string[] {
  const rules = only('dlq.count').map((rule): Rule => ({ ...rule, for: 0, keepFiringFor: 0 }))
  const told = play({ rules: rules.filter(({ severity }) => severity === 'warning') })
  for (const step of steps) {
    for (const [name, status] of Object.entries(step)) told.see({ letters: status === 'firing' ? 500 : 0 }, subjectOf(name))
    told.pass('6m')
  }
  return told.sayings.map(({ notification: { alerts } }) =>
    lineOf(alerts.map(({ source, queue, status }) => `${source}/${queue} ${status}`)),
  )
}

function lineOf(alerts: readonly string[]): string {
  return alerts.toSorted().join(', ')
}

interface HeardAlert {
  readonly status: Status
  readonly labels: Readonly<Record<string, string>>
}

/** What Alertmanager says about the same alerts, each step when it has spoken about the one before. */
async function alertmanagersDecisions(): Promise<readonly string[]> {
  let spoken = (): void => {}
  const receiver = await openStub((response) => {
    response.writeHead(200).end()
    spoken()
  })
  const settings = [
    // Long enough that no turn of a group comes between two alerts of one request, however slow the machine is.
    'route: { receiver: us, group_by: [source, severity], group_wait: 5s, group_interval: 5s, repeat_interval: 1h }',
    `receivers: [{ name: us, webhook_configs: [{ url: "${receiver.url}", send_resolved: true }] }]`,
  ]
  const broker = await brokerForTests('alertmanager', '0.25', { settings })
  if ('notRun' in broker) throw new Error(broker.notRun)
  const port = Number(new URL(broker.url).port)
  const options = { url: broker.url, allowAddresses: ['127.0.0.1'], allowPorts: [port] }
  const sink = createSink('am', 'alertmanager', options, { clock: systemClock })
  const begun = systemClock.now()
  try {
    for (const step of steps) {
      const said = new Promise<void>((resolve) => {
        spoken = resolve
      })
      const alerts = Object.entries(step).map(([name, status]) =>
        alertFacts({ status, severity: 'warning', subject: subjectOf(name), fingerprint: name, firstAt: begun }),
      )
      expect(await sink.send(notification({ alerts, at: systemClock.now() }), never)).toEqual({ kind: 'sent' })
      await said
    }
    return receiver.requests.map(({ json }: StubRequest) =>
      lineOf(json.alerts.map(({ labels, status }: HeardAlert) => `${labels['source']}/${labels['queue']} ${status}`)),
    )
  } finally {
    await broker.stop()
    await receiver.close()
  }
}

await onBrokers('alertmanager', ['0.25'], (broker) => {
  const port = Number(new URL(broker.url).port)
  const options = { url: broker.url, allowAddresses: ['127.0.0.1'], allowPorts: [port] }

  async function known(): Promise<readonly { labels: Record<string, string>; annotations: Record<string, string> }[]> {
    return (await fetch(`${broker.url}/api/v2/alerts`)).json() as Promise<
      readonly { labels: Record<string, string>; annotations: Record<string, string> }[]
    >
  }

  describe('a real Alertmanager', () => {
    it('takes what fires, and drops it when it hears of the end', async () => {
      const sink = createSink('am', 'alertmanager', options, { clock: systemClock })
      const at = systemClock.now()
      expect(await sink.send(notification({ at, alerts: [alertFacts({ firstAt: at })] }), never)).toEqual({ kind: 'sent' })
      const [alert] = await known()
      expect(alert?.labels).toMatchObject({ alertname: 'dlq.any', severity: 'critical', source: 'shop', queue: 'dlq.orders' })
      expect(alert?.annotations['description']).toContain('Manual intervention required.')
      const over = notification({ at: systemClock.now(), alerts: [alertFacts({ status: 'resolved', firstAt: at })] })
      expect(await sink.send(over, never)).toEqual({ kind: 'sent' })
      expect(await known()).toEqual([])
    })

    it('takes it for the same alert when another control plane goes on with it', async () => {
      const sink = createSink('am', 'alertmanager', options, { clock: systemClock })
      const at = systemClock.now()
      const says = (instance: string, status: Status) =>
        sink.send(notification({ at: systemClock.now(), instance, alerts: [alertFacts({ status, firstAt: at })] }), never)
      expect([await says('redrive-1', 'firing'), await says('redrive-2', 'firing')]).toEqual([{ kind: 'sent' }, { kind: 'sent' }])
      expect((await known()).map(({ annotations }) => annotations['redrive_instance'])).toEqual(['redrive-2'])
      await says('redrive-2', 'resolved')
      expect(await known()).toEqual([])
    })

    it('takes names that are anything', async () => {
      const sink = createSink('am', 'alertmanager', options, { clock: systemClock })
      const at = systemClock.now()
      const alerts = [
        alertFacts({
          firstAt: at,
          labels: { 'cost-centre': 'Ä "x"\n', '': 'empty', '1st': '' },
          subject: { source: '', queue: '<q>\u202e' },
        }),
      ]
      expect(await sink.send(notification({ at, alerts }), never)).toEqual({ kind: 'sent' })
    })
  })

  describe('the same alerts', () => {
    it('are grouped by us as by a real Alertmanager with the same timers', async () => {
      expect(await alertmanagersDecisions()).toEqual(ourDecisions())
    }, 600_000)

    it('and a group that told each of them by itself would be seen', () => {
      const alone = ourDecisions().flatMap((line) => line.split(', '))
      expect(alone).not.toEqual(ourDecisions())
    })
  })
})

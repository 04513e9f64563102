import { describe, expect, it, onTestFinished } from 'vitest'
import { createSink } from '../../src/notifiers/kinds.ts'
import { createNotifiers } from '../../src/notifiers/notifiers.ts'
import { virtualClock } from '../../src/platform/virtual-clock.ts'
import { openStub, type Stub } from '../alerts/stub.ts'
import { memoryVault } from '../control/memory-vault.ts'
import { type World, world } from './server.fixture.ts'

const hidden = 'hunter2'

async function worldWith(answer?: Parameters<typeof openStub>[0]): Promise<{ made: World; stub: Stub }> {
  const stub = await openStub(answer)
  onTestFinished(() => stub.close())
  const clock = virtualClock()
  const at = { url: `${stub.url}/${hidden}`, allowAddresses: ['127.0.0.1'], allowPorts: [stub.port] }
  const sinks = [
    createSink('hook', 'webhook', { ...at, apiKey: hidden }, { clock }),
    createSink('pager', 'pagerduty', { ...at, routingKey: hidden }, { clock }),
  ]
  const own = { vault: memoryVault(), clock, random: () => 0, newId: () => 'id-1', instance: 'redrive-1', onProblem: () => {} }
  return { made: await world({ notifiers: createNotifiers({ ...own, sinks }) }), stub }
}

describe('notifiers over HTTP', () => {
  it('security case 46: are listed by name and host, without a secret', async () => {
    const { made, stub } = await worldWith()
    const { ask } = await made.person({ role: 'viewer' })
    const answer = await ask('GET', '/notifiers')
    expect(answer.json().notifiers[0]).toEqual({
      ...{ name: 'hook', kind: 'webhook', target: `127.0.0.1:${stub.port}` },
      ...{ waiting: 0, dead: 0, failingSince: null },
    })
    expect(answer.body).not.toContain(hidden)
  })

  it('are tested on request, and who did it is in the audit trail', async () => {
    const { made, stub } = await worldWith()
    const { ask } = await made.person({ role: 'operator', name: 'olga' })
    expect((await ask('POST', '/notifiers/hook/test')).json()).toEqual({ sent: true })
    expect(stub.requests[0]?.json).toMatchObject({ reason: 'test', subject: 'Test of notifier hook' })
    expect((await made.audit()).filter(({ actor }) => actor === 'olga').map(({ action }) => action)).toContain('notifiers.test')
  })

  it('end the test where the receiver keeps what fires', async () => {
    const { made, stub } = await worldWith()
    await (await made.person()).ask('POST', '/notifiers/pager/test')
    expect(stub.requests.map(({ json }) => json.event_action)).toEqual(['trigger', 'resolve'])
    expect(stub.requests[1]?.json.dedup_key).toBe(stub.requests[0]?.json.dedup_key)
  })

  it('say why a test did not arrive, and nothing of what the receiver answered', async () => {
    const { made } = await worldWith((response) => response.writeHead(403).end(`no, ${hidden}`))
    const answer = await (await made.person()).ask('POST', '/notifiers/hook/test')
    expect(answer.json()).toEqual({ sent: false, problem: 'The receiver answered with status 403' })
    expect(JSON.stringify(await made.audit())).not.toContain(hidden)
  })

  it('that do not exist are told as such, with those that do', async () => {
    const { made } = await worldWith()
    const answer = await (await made.person()).ask('POST', '/notifiers/nobody/test')
    expect(answer.statusCode).toBe(404)
    expect(answer.json().detail).toContain('There are: hook, pager.')
  })
})

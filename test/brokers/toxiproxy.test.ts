import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FaultyWay } from '../../scripts/brokers/toxiproxy.ts'
import { toxiproxyForTests } from './broker-for-tests.ts'

const toxiproxy = await toxiproxyForTests()

if ('notRun' in toxiproxy) test(toxiproxy.notRun, () => expect(process.env['CI']).toBeFalsy())
else {
  let way: FaultyWay
  const echo = createServer((socket) => socket.on('error', () => {}).pipe(socket))

  beforeAll(async () => {
    echo.listen(0, '127.0.0.1')
    await once(echo, 'listening')
    way = await toxiproxy.before((echo.address() as AddressInfo).port)
  })
  afterAll(async () => {
    await toxiproxy.stop()
    echo.close()
  })

  async function opened(): Promise<Socket> {
    const socket = connect(way.port, '127.0.0.1')
    socket.on('error', () => {})
    await once(socket, 'connect')
    return socket
  }

  async function echoOf(socket: Socket, text: string): Promise<string> {
    socket.write(text)
    const [answer] = await once(socket, 'data')
    return String(answer)
  }

  test('a way leads to its port', async () => {
    const socket = await opened()
    expect(await echoOf(socket, 'hello')).toBe('hello')
    socket.destroy()
  })

  test.each(['upstream', 'downstream'] as const)(
    'bytes vanish %s while the connection stays, until it heals',
    async (direction) => {
      const socket = await opened()
      expect(await echoOf(socket, 'before')).toBe('before')
      const heard: string[] = []
      socket.on('data', (data) => heard.push(String(data)))
      const closed = once(socket, 'close')
      await way.swallow(direction)
      socket.write('swallowed')
      await way.heal()
      await closed
      expect(heard).toEqual([])
      const after = await opened()
      expect(await echoOf(after, 'after')).toBe('after')
      after.destroy()
    },
  )

  test('a cut ends every connection, and nobody gets in until it heals', async () => {
    const socket = await opened()
    const closed = once(socket, 'close')
    await way.cut()
    await closed
    const refused = connect(way.port, '127.0.0.1')
    await expect(once(refused, 'connect')).rejects.toMatchObject({ code: 'ECONNREFUSED' })
    await way.heal()
    const after = await opened()
    expect(await echoOf(after, 'after')).toBe('after')
    after.destroy()
  })
}

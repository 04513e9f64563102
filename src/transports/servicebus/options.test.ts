import { describe, expect, test } from 'vitest'
import { resolveOptions, type ServicebusOptions } from './options.ts'

const connectionString = 'Endpoint=sb://shop.servicebus.windows.net/;SharedAccessKeyName=app;SharedAccessKey=c2VjcmV0'
const credential = { getToken: async () => null }

describe('the options of Service Bus', () => {
  test('are a connection string, and the rest has defaults', () => {
    expect(resolveOptions({ connectionString })).toMatchObject({
      access: { connectionString },
      sessions: false,
      retry: 'copy',
      lockDuration: 60_000,
      answerWithin: 10_000,
    })
  })

  test('are a namespace with a credential of Entra ID instead', () => {
    const namespace = 'shop.servicebus.windows.net'
    expect(resolveOptions({ namespace, credential })).toMatchObject({ access: { namespace, credential } })
  })

  test('a retry in a session is an abandon', () => {
    expect(resolveOptions({ connectionString, sessions: true }).retry).toBe('abandon')
  })

  test.each([
    [{}, 'connectionString is missing'],
    [{ connectionString, namespace: 'a', credential }, 'not both'],
    [{ namespace: 'a' }, 'credential is missing'],
    [{ connectionString, sessions: true, retry: 'copy' }, 'a copy would stand behind its siblings'],
    [{ connectionString, lockDuration: '10m' }, 'lockDuration is "10m"'],
  ])('are refused with what is wrong: %#', (options, message) => {
    expect(() => resolveOptions(options as ServicebusOptions)).toThrow(message)
  })

  test('a connection string that is none is not shown: it may hold a key', () => {
    const wrong = 'SharedAccessKey=c2VjcmV0'
    expect(() => resolveOptions({ connectionString: wrong })).toThrow(expect.not.stringContaining('c2VjcmV0'))
  })
})

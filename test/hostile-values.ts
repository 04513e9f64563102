import fc from 'fast-check'

/**
 * Anything at all, and values that throw whenever they are looked at: for the tests of what looks at what users pass or throw.
 * Each is wrapped in a function, because fast-check looks at the values that it draws.
 */
export const anythingAtAll: fc.Arbitrary<() => unknown> = fc.oneof(
  fc.anything({ withNullPrototype: true, withBigInt: true, withDate: true, withSparseArray: true }).map((value) => () => value),
  fc
    .constantFrom<Hostility>('proxy', 'callable', 'revoked', 'getters', 'array')
    .map((hostility) => () => hostileValue(hostility)),
)

export type Hostility = 'proxy' | 'callable' | 'revoked' | 'getters' | 'array'

export function hostileValue(hostility: Hostility): unknown {
  switch (hostility) {
    case 'proxy':
      return new Proxy({}, throwingTraps)
    case 'callable':
      return new Proxy(() => undefined, throwingTraps)
    case 'array':
      return new Proxy([], throwingTraps)
    case 'revoked':
      return revokedProxy()
    case 'getters':
      return throwingGetters()
  }
}

const traps = [
  'get',
  'has',
  'ownKeys',
  'getPrototypeOf',
  'getOwnPropertyDescriptor',
  'apply',
  'construct',
  'isExtensible',
] as const

const throwingTraps: ProxyHandler<object> = Object.fromEntries(traps.map((trap) => [trap, refuse]))

function refuse(): never {
  throw new TypeError('hostile')
}

function revokedProxy(): unknown {
  const { proxy, revoke } = Proxy.revocable({}, {})
  revoke()
  return proxy
}

function throwingGetters(): unknown {
  const keys = [
    'name',
    'message',
    'code',
    'status',
    'statusCode',
    'response',
    'cause',
    'errors',
    'constructor',
    'retries',
    'length',
  ]
  return Object.defineProperties({}, Object.fromEntries(keys.map((key) => [key, { get: refuse, enumerable: true }])))
}

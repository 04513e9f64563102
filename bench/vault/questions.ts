import { conditionOf } from '../../src/vault/filter-condition.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { firstFailedAt, namesItsOrder } from './letters.ts'

/** What people ask all day, each time about something else. `n` is how many letters there are, `draw` a number below its argument. */
export const questions: Readonly<Record<string, (vault: Vault, n: number, draw: (below: number) => number) => Promise<unknown>>> =
  {
    'inbox of causes': (vault) => vault.read('listCauses', { state: 'open', limit: 50 }),
    'newest open letters': (vault, n) => find(vault, 'state:open', n),
    'filter and page': (vault, n, draw) => find(vault, `state:open channel:orders.${draw(40)} age>1h`, n, draw(n)),
    'two states, a rare one': (vault, n) => find(vault, 'state:unknown,discarded', n),
    'letters of a cause': (vault, n, draw) => find(vault, `cause:${draw(256).toString(16).padStart(2, '0')}`, n, draw(n)),
    'error type': (vault, n, draw) => find(vault, `error:Error${draw(200)}`, n, draw(n)),
    'source, state, a day': (vault, n, draw) => find(vault, `source:dlq.* state:open ${aDay(draw(n))}`, n),
    'the oldest': (vault, n, draw) => find(vault, `failed<${at(draw(1000) + 60)}`, n),
    'a source without letters': (vault, n) => find(vault, 'source:dlq.elsewhere state:open', n),
    'correlation id': (vault, n, draw) => vault.read('traceCorrelation', { correlationId: `correlation-${draw(n)}`, limit: 100 }),
    'full text, a common phrase': (vault, n) => find(vault, '"declined by the bank"', n),
    'full text, a rare word': (vault, n, draw) => find(vault, `"order ${draw(n / namesItsOrder) * namesItsOrder}" state:open`, n),
    // Ten thousand letters have the phrase, all of them in a header: each is looked at.
    'full text, only headers have it': (vault, n, draw) => find(vault, `"tenant ${draw(100)}" state:open`, n),
    'full text, a page further down': (vault, n, draw) => find(vault, '"declined by the bank"', n, draw(n)),
    header: (vault, n, draw) => find(vault, `header.tenant:tenant-${draw(100)} state:open age>1h`, n),
    'header, a page further down': (vault, n, draw) => find(vault, `header.tenant:tenant-${draw(100)} state:open`, n, draw(n)),
    'header, a beginning': (vault, n, draw) => find(vault, `header.tenant:tenant-${draw(10)}*`, n, draw(n)),
  }

function at(letter: number): string {
  return new Date(firstFailedAt + letter * 1000).toISOString()
}

function aDay(letter: number): string {
  return `failed>=${at(letter)} failed<${at(letter + 86_400)}`
}

function find(vault: Vault, filter: string, n: number, before = Number.MAX_SAFE_INTEGER): Promise<unknown> {
  const condition = conditionOf(filter, firstFailedAt + n * 1000)
  return vault.read('findLetters', { condition, limit: 50, before: Math.max(1, before) })
}

import fc from 'fast-check'
import { letterStates } from '../letter-states.ts'
import { type FieldName, fieldNames, fields, havings, isOfKind } from './fields.ts'
import { all, any, type Comparison, type Filter, not, type Term } from './filter.ts'
import type { FilterableLetter } from './matches-filter.ts'
import type { Pattern } from './pattern.ts'
import { wordsOf } from './words.ts'

/** A letter that has everything. */
export function letter(changes: Partial<FilterableLetter> = {}): FilterableLetter {
  return {
    id: '4711',
    state: 'open',
    source: 'dlq.orders',
    channel: 'orders',
    connection: 'shop',
    cause: 'v1:3f2a96184803ce69772c3c25e22bce73',
    reason: 'MaxDeliveryCountExceeded',
    error: 'java.net.SocketTimeoutException',
    dialect: 'spring-kafka',
    type: 'order.placed',
    key: 'customer-7',
    correlation: 'c-981',
    message: 'm-1',
    letter: '5e0c',
    service: 'billing',
    version: '2.4.1',
    owner: 'ana',
    replays: ['12', '13'],
    attempts: 3,
    size: 65_536,
    failed: Date.UTC(2026, 10, 16, 8),
    received: Date.UTC(2026, 10, 16, 9),
    headers: [
      ['tenant', 'acme'],
      ['tenant', Buffer.from('globex')],
      ['retries', 3],
      ['x-death', [{ queue: 'orders' }]],
    ],
    hasNote: true,
    texts: ['Card declined: Überweisung at 100 %', 'PaymentError'],
    body: '{"order":"o-1","note":"ring twice"}',
    ...changes,
  }
}

const text = fc.string({ unit: 'binary', maxLength: 12 })
const named = <F extends FieldName>(isWanted: (name: FieldName) => name is F): fc.Arbitrary<F> =>
  fc.constantFrom(...fieldNames.filter(isWanted))
const some = <T>(item: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(item, { minLength: 1, maxLength: 3 })

const pattern: fc.Arbitrary<Pattern> = fc
  .array(text, { minLength: 1, maxLength: 4 })
  .map((pieces) => pieces.filter((piece, index) => piece !== '' || index === 0 || index === pieces.length - 1))

const ofCompared = (name: FieldName): name is Comparison['field'] =>
  ['number', 'size', 'duration', 'time'].includes(fields[name].kind)

const comparison: fc.Arbitrary<Comparison> = named(ofCompared).chain((field) =>
  fc.record({
    kind: fc.constant('compare' as const),
    field: fc.constant(field),
    operator: fc.constantFrom(
      ...(['<', '<=', '>', '>='] as const),
      ...(field === 'attempts' || field === 'size' ? (['='] as const) : []),
    ),
    value:
      fields[field].kind === 'time'
        ? fc.integer({ min: 0, max: Date.UTC(2999, 11, 31) }).map((at) => at - (at % 3 === 0 ? at % 86_400_000 : 0))
        : fc.oneof(
            fc.nat(),
            fc.nat(1000).map((count) => count * 1024),
            fc.nat(100_000).map((count) => count * 60_000),
          ),
  }),
)

const words = fc
  .record({
    kind: fc.constant('text' as const),
    where: fc.constantFrom('failure' as const, 'body' as const),
    words: some(fc.string({ unit: 'binary', minLength: 1, maxLength: 8 })).map((texts) => wordsOf(texts.join(' '))),
    open: fc.boolean(),
  })
  .filter((term) => term.words.length > 0)
  .map((term) => ({ ...term, open: term.open && (term.words.at(-1)?.length ?? 0) >= 3 }))

const term: fc.Arbitrary<Term> = fc.oneof(
  fc.record({ kind: fc.constant('ids' as const), field: named((name) => isOfKind(name, 'id')), values: some(text) }),
  fc.record({ kind: fc.constant('names' as const), field: named((name) => isOfKind(name, 'name')), patterns: some(pattern) }),
  fc.record({ kind: fc.constant('header' as const), name: text.filter((name) => name !== ''), patterns: some(pattern) }),
  fc.record({ kind: fc.constant('state' as const), values: some(fc.constantFrom(...letterStates)) }),
  fc.record({ kind: fc.constant('has' as const), values: some(fc.constantFrom(...havings)) }),
  fc.record({ kind: fc.constant('cause' as const), beginnings: some(text.filter((beginning) => beginning !== '')) }),
  comparison,
  words,
)

/** Any filter in canonical form. */
export const anyFilter: fc.Arbitrary<Filter> = fc.letrec<{ filter: Filter }>((tie) => ({
  filter: fc.oneof(
    { maxDepth: 3, withCrossShrink: true },
    term,
    fc.array(tie('filter'), { minLength: 1, maxLength: 3 }).map(all),
    fc.array(tie('filter'), { minLength: 1, maxLength: 3 }).map(any),
    tie('filter').map(not),
  ),
})).filter

/** Text that is a filter, or almost one. */
export const almostFilter: fc.Arbitrary<string> = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        ...fieldNames,
        'header.',
        'OR',
        'AND',
        'NOT',
        '-',
        '(',
        ')',
        '"',
        '""',
        '*',
        ',',
        ' ',
        '  ',
        '\t',
        '\n',
        '=',
        '\\',
      ),
      fc.constantFrom(
        ':',
        '<',
        '<=',
        '>',
        '>=',
        '3',
        '1h',
        '64KiB',
        '2026-11-16',
        'open',
        'key',
        'card declined',
        '__proto__',
        '%',
        '_',
      ),
      fc.string({ unit: 'binary', maxLength: 6 }),
    ),
    { maxLength: 24 },
  )
  .map((parts) => parts.join(''))

import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { normalise } from './normalise.ts'
import { placeholderRules } from './placeholders.ts'

const shown = (text: string): string => normalise(text).shown

describe('what differs from letter to letter is replaced by its kind', () => {
  test.each([
    // numbers
    ['Customer 4711 not found', 'Customer <number> not found'],
    ['waited 30s, 250ms, 5 ms and 2h', 'waited <number>, <number>, <number> ms and <number>'],
    ['12.50 1,200.00 99.999,50 -4 +7 20 % 15% 1e9 3.5KiB', 'N N N N N N N N N'.replaceAll('N', '<number>')],
    ['[0] (1) #7 x=8;', '[<number>] (<number>) #<number> x=<number>;'],
    ['items[12].price', 'items[<number>].price'],
    // statuses and constraints stay
    ['answered 404', 'answered 404'],
    ['Status: 503, code=429, HTTP 500, HTTP/1.1 502', 'Status: 503, code=429, HTTP 500, HTTP/1.1 502'],
    ['responded with 418 after 300 ms', 'responded with 418 after <number> ms'],
    ['returned 200', 'returned <number>'],
    ['customer 404', 'customer <number>'],
    ['answered 4040', 'answered <number>'],
    ['violates unique constraint "orders_pkey" of "x"', 'violates unique constraint "orders_pkey" of <quoted>'],
    // ids
    ['charge ch_3OqX1r2eZvKYlo2C0gRfT7aB', 'charge <id>'],
    ['sku AB-2210-XL and 7f3e and 1Z999AA10123456784', 'sku <id> and <id> and <id>'],
    ['invoice 2026-000123', 'invoice <id>'],
    ['HostID: hXk2Qd9+abc/def=, next', 'HostID: <id>, next'],
    ['well-known words_with no-digits', 'well-known words_with no-digits'],
    // uuids and hex
    ['id 1f0c9a3e-6d1b-4d6f-9c55-0e2b6a7a8d11', 'id <uuid>'],
    ['id 3F2504E0-4F89-11D3-9A0C-0305E82C3301', 'id <uuid>'],
    ['id 1f0c9a3e6d1b4d6f9c550e2b6a7a8d11', 'id <uuid>'],
    ['at 0xc000112A80', 'at <hex>'],
    // times
    ['at 2026-03-01T12:00:04.112Z', 'at <timestamp>'],
    ['at 2026-03-01 12:00:04,112', 'at <timestamp>'],
    ['at 2026-03-01T12:00+01:00 or 2026-03-01', 'at <timestamp> or <timestamp>'],
    ['on 31.12.2026, 3/4/26 and 12/31/2026 11:59 PM', 'on <timestamp>, <timestamp> and <timestamp>'],
    ['Mon, 02 Jan 2026 15:04:05 GMT', '<timestamp>'],
    ['Thu Jan 2 15:04:05 2026', '<timestamp>'],
    ['took 00:00:30.0001', 'took <timestamp>'],
    ['Time:2026-02-11T08:15:22.1234567Z', 'Time:<timestamp>'],
    // machines
    ['dial tcp 10.12.0.7:8443: refused', 'dial tcp <address>: refused'],
    ['connect ECONNREFUSED ::1:5432', 'connect ECONNREFUSED <address>'],
    ['dial tcp [::1]:8443', 'dial tcp <address>'],
    ['dial tcp [fe80::1%eth0]:80', 'dial tcp <address>'],
    ['ENOTFOUND hooks.tenant-42.example', 'ENOTFOUND <address>'],
    ['broker kafka-0.kafka.svc:9092 and redis:6379', 'broker <address> and <address>'],
    ['connecting to redis:6379. Refused', 'connecting to <address>. Refused'],
    ['at file.ts:12.5', 'at file.ts:<number>'],
    ['for user@example.com', 'for <email>'],
    ['GET https://api.example.com/v1/orders/8?sig=91af failed', 'GET <url> failed'],
    ['(see http://x.example/a)', '(see <url>)'],
    // not machines
    ['com.acme.inventory.Customer System.IO System.Net.Http', 'com.acme.inventory.Customer System.IO System.Net.Http'],
    ['discount.apply is not a function', 'discount.apply is not a function'],
    // files
    ['open /data/templates/de/invoice.hbs', 'open <path>'],
    ['open /unknown/place/file.csv now', 'open <path> now'],
    ['open C:\\agent\\_work\\12\\Taxes.cs', 'open <path>'],
    ['/items/3/quantity must be integer', '/items/<number>/quantity must be integer'],
    ['application/json and/or text', 'application/json and/or text'],
    // quotes
    ['key \'X\' and "y z" and `q`', 'key <quoted> and <quoted> and <quoted>'],
    ['Wert »orders« und „foo“', 'Wert <quoted> und <quoted>'],
    ["can't and won't", "can't and won't"],
    ["''", '<quoted>'],
    // documents
    ['body {"id":1,"x":[{}]} refused', 'body <json> refused'],
    ['dup key: { handle: "kim" }', 'dup key: <json>'],
    ['Source: "{"id":1}"; line', 'Source: <json>; line'],
    ['a {} b', 'a {} b'],
    // white space
    ['  several\n\tlines\r\n here ', 'several lines here'],
    ['as the sanitiser writes them:\\n\\tsecond', 'as the sanitiser writes them: second'],
    ['', ''],
  ])('%j', (text, expected) => {
    expect(shown(text)).toBe(expected)
  })
})

describe('what is compared', () => {
  test('has one mark for all kinds, so that the same thing may be a number here and a UUID there', () => {
    const patterns = ['4711', '1f0c9a3e-6d1b-4d6f-9c55-0e2b6a7a8d11', 'AB-1', '10.0.0.1:80'].map(
      (customer) => normalise(`Customer ${customer} not found`).pattern,
    )
    expect(new Set(patterns)).toEqual(new Set(['Customer <*> not found']))
  })

  test('has one mark for several in a row', () => {
    expect(normalise('at 2026-03-01 / 4711: 12 - x').pattern).toBe('at <*> - x')
    expect(normalise('4711, then 12').pattern).toBe('<*>, then <*>')
  })
})

describe('what was replaced', () => {
  test('is told by kind and count, and never by value', () => {
    expect(normalise("order 12 of 'acme' at 2026-03-01, 13 and 14")).toStrictEqual({
      pattern: 'order <*> of <*> at <*> and <*>',
      shown: 'order <number> of <quoted> at <timestamp>, <number> and <number>',
      replaced: [
        { kind: 'number', count: 3 },
        { kind: 'quoted', count: 1 },
        { kind: 'timestamp', count: 1 },
      ],
    })
    expect(normalise('nothing').replaced).toEqual([])
  })
})

describe('the rules', () => {
  test('hold no groups that would be counted and no flags that would be lost, and say why they are there', () => {
    for (const { pattern, why } of placeholderRules) {
      expect(pattern.flags).toBe('')
      expect(new RegExp(`${pattern.source}|`).exec('')).toHaveLength(1)
      expect(why).not.toBe('')
    }
  })

  test('leave no digit of a plain number or a UUID behind, wherever it stands', () => {
    const word = fc.constantFrom('order', 'failed', 'for', 'customer', 'at', 'because')
    const value = fc.oneof(fc.nat().map(String), fc.uuid())
    fc.assert(
      fc.property(fc.array(fc.oneof(word, value), { maxLength: 12 }), (words) => {
        expect(shown(words.join(' '))).not.toMatch(/\d/)
      }),
    )
  })

  test('do nothing to what they made', () => {
    fc.assert(
      fc.property(fc.array(fc.constantFrom('a', ' ', '1', "'", '/', '.', ':', '-', 'x'), { maxLength: 30 }), (characters) => {
        const once = shown(characters.join(''))
        expect(normalise(once).pattern.replaceAll('<*>', '')).not.toMatch(/\d/)
      }),
    )
  })

  test('look at 8,192 characters and no more', () => {
    expect(shown(`${'a '.repeat(4096)}tail`)).not.toContain('tail')
    expect(shown(`${'a '.repeat(4000)}tail`)).toContain('tail')
  })
})

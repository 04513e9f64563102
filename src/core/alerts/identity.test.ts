import { expect, it } from 'vitest'
import { sha256 } from '../sha256.ts'
import { dedupKeyOf, fingerprintOf, type Subject, subjectKey } from './identity.ts'

it('a subject is known by all of its parts, in any order', () => {
  const whole: Subject = { sink: 'mail', replay: 4, cause: 'c', consumerGroup: 'g', queue: 'q', source: 's' }
  expect(subjectKey(whole)).toBe('["s","q","g","c",4,"mail"]')
  expect(subjectKey({ source: 's' })).toBe('["s",null,null,null,null,null]')
})

it('a fingerprint is made of the rule, the subject and the labels, in any order, and of nothing else', () => {
  const of = (changes: object): string =>
    fingerprintOf({ rule: 'r', subject: { source: 's' }, labels: { a: '1', b: '2' }, ...changes })
  expect(of({})).toBe(sha256('["r","[\\"s\\",null,null,null,null,null]",[["a","1"],["b","2"]]]'))
  expect(of({ labels: { b: '2', a: '1' } })).toBe(of({}))
  expect(of({ count: 5 })).toBe(of({}))
  const others = [{ rule: 'x' }, { subject: { source: 'x' } }, { labels: { a: '1' } }, { labels: { a: '1', b: '3' } }]
  expect(new Set([{}, ...others].map(of)).size).toBe(5)
})

it('a key for receivers is short, and starts with our name', () => {
  expect(dedupKeyOf('x')).toBe(`redrive:${sha256('x').slice(0, 32)}`)
})

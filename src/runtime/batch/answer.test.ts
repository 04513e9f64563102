import { describe, expect, it } from 'vitest'
import { heedLanes, readAnswer, type Said, type Verdict } from './answer.ts'

const [one, two] = [{ name: 'one' }, { name: 'two' }]
const done: Said = { kind: 'done' }
const failed: Said = { kind: 'failed', error: 'why' }
const retry: Said = { kind: 'asked', for: { kind: 'retry' } }
const buried: Said = { kind: 'asked', for: { kind: 'dead-letter' } }
const unmentioned: Verdict = { kind: 'unmentioned' }
const behind: Verdict = { kind: 'behind' }

const of = (message: object, said: Said): object => ({ of: message, said })

describe('the answer of a batch handler', () => {
  it.each<[string, unknown, readonly Verdict[]]>([
    ['all of them', [of(one, done), of(two, failed)], [done, failed]],
    ['all of them, in another order', [of(two, failed), of(one, done)], [done, failed]],
    ['a set', new Set([of(one, done), of(two, done)]), [done, done]],
    ['one of them', [of(two, done)], [unmentioned, done]],
    ['none of them', [], [unmentioned, unmentioned]],
    ['nothing at all', undefined, [unmentioned, unmentioned]],
    ['null', null, [unmentioned, unmentioned]],
    ['true', true, [unmentioned, unmentioned]],
    ['a text', 'done', [unmentioned, unmentioned]],
    ['an object', { done: true }, [unmentioned, unmentioned]],
    ['messages instead of outcomes', [one, two], [unmentioned, unmentioned]],
    ['holes', [undefined, of(one, done), null, 7], [done, unmentioned]],
    ['a message of another batch', [of({ name: 'one' }, done)], [unmentioned, unmentioned]],
    ['one twice, failed first', [of(one, failed), of(one, done)], [failed, unmentioned]],
    ['one twice, done first', [of(one, done), of(one, failed)], [failed, unmentioned]],
    ['one twice, neither done', [of(one, retry), of(one, failed)], [retry, unmentioned]],
    ['one twice, both done', [of(one, done), of(one, done)], [done, unmentioned]],
  ])('that mentions %s', (_, answer, verdicts) => {
    expect(readAnswer(answer, [one, two])).toEqual(verdicts)
  })
})

describe('a lane in the answer', () => {
  it.each<[string, readonly Verdict[], readonly (string | undefined)[], readonly Verdict[]]>([
    ['counts while all before are done', [done, done, done], ['a', 'a', 'a'], [done, done, done]],
    ['stops at a failure', [done, failed, done], ['a', 'a', 'a'], [done, failed, behind]],
    ['stops at a retry', [retry, done], ['a', 'a'], [retry, behind]],
    ['stops at one that was not mentioned', [unmentioned, done], ['a', 'a'], [unmentioned, behind]],
    ['goes on behind one that is dead-lettered for good', [buried, done], ['a', 'a'], [buried, done]],
    [
      'says nothing about what stands behind, whatever it is',
      [failed, failed, unmentioned],
      ['a', 'a', 'a'],
      [failed, behind, behind],
    ],
    ['stops only itself', [failed, done, done, done], ['a', 'b', 'a', undefined], [failed, done, behind, done]],
    ['is none where there is no key', [failed, done], [undefined, undefined], [failed, done]],
  ])('%s', (_, verdicts, lanes, heeded) => {
    expect(heedLanes(verdicts, lanes)).toEqual(heeded)
  })
})

import fc from 'fast-check'
import { expect, it } from 'vitest'
import { anythingAtAll } from '../../test/hostile-values.ts'
import { type ClassifyOptions, type ClassifyRules, resolveClassifyRules } from './classify-rules.ts'
import { RedriveError } from './errors.ts'

function resolve(options: unknown): ClassifyRules {
  return resolveClassifyRules(options as ClassifyOptions, 'permanent', 'consumer "billing": classify')
}

it('asks the words of the user before the default list', () => {
  const { classOfText } = resolve({ permanentPatterns: [' Duplicate  Invoice '], retryablePatterns: ['gateway timeout'] })
  expect(classOfText('a gateway  timeout for a duplicate invoice')).toBe('permanent')
  expect(classOfText('a Gateway Timeout')).toBe('retryable')
  expect(classOfText('a timeout')).toBe('permanent')
  expect(classOfText('a retimeouted invoice')).toBeUndefined()
})

it('keeps what the words of one consumer mean from another', () => {
  const [strict, patient] = [resolve({ permanentPatterns: ['no credit'] }), resolve({ retryablePatterns: ['no credit'] })]
  for (let turn = 0; turn < 2; turn++) {
    expect(strict.classOfText('no credit')).toBe('permanent')
    expect(patient.classOfText('no credit')).toBe('retryable')
  }
})

it.each([
  [{ pattern: [] }, 'consumer "billing": classify: pattern is not an option.'],
  [{ permanentPatterns: 'timeout' }, 'permanentPatterns is "timeout". Allowed: an array of at most 1000 items.'],
  [{ permanentPatterns: [' '] }, 'permanentPatterns[0] is " ". Allowed: text of 1 to 200 characters.'],
  [{ permanentPatterns: [/x/] }, 'permanentPatterns[0] is an object. Allowed: text'],
  [{ codes: { E1: 'fatal' } }, 'codes.E1 is "fatal". Allowed: "retryable", "permanent", "invalid", "cancelled".'],
  [{ codes: 'E1' }, 'codes is "E1". Allowed: an object of classes'],
  [{ statuses: { '4o4': 'permanent' } }, 'statuses is "4o4". Allowed: an HTTP status from 100 to 599.'],
  [{ types: [{ type: 5, class: 'permanent' }] }, 'types[0].type is 5. Allowed: an error class or its name.'],
  [{ types: [{ type: Error }] }, 'types[0].class is missing; it must be given.'],
])('refuses %o', (options, message) => {
  expect(() => resolve(options)).toThrow(message)
})

it('throws nothing but a RedriveError, whatever it is given', () => {
  fc.assert(
    fc.property(anythingAtAll, (make) => {
      for (const key of ['types', 'codes', 'statuses', 'permanentPatterns', 'retryablePatterns']) {
        try {
          resolve({ [key]: make() })
        } catch (error) {
          expect(error).toBeInstanceOf(RedriveError)
        }
      }
    }),
  )
})

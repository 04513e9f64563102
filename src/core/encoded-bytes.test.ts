import { describe, expect, it } from 'vitest'
import { printedBytes } from './encoded-bytes.ts'

const decoder = new TextDecoder()
const readings = (text: string): readonly string[] => printedBytes(text).map((bytes) => decoder.decode(bytes))
const secret = 'amount?4711>>'

describe('bytes that somebody printed', () => {
  it.each([
    ['in base64', Buffer.from(secret).toString('base64')],
    ['in base64 for addresses', Buffer.from(secret).toString('base64url')],
    ['in base64 behind one more character', `x${Buffer.from(secret).toString('base64')}`],
    ['in base64 behind three more characters', `xyz${Buffer.from(secret).toString('base64')}`],
    ['in hexadecimal', Buffer.from(secret).toString('hex')],
    ['in capitals', Buffer.from(secret).toString('hex').toUpperCase()],
    ['in hexadecimal behind half a byte', `f${Buffer.from(secret).toString('hex')}`],
    ['as Node shows a buffer', `<Buffer ${Buffer.from(secret).toString('hex').replace(/../g, '$& ').trim()}>`],
    ['as a list of numbers', `[${[...Buffer.from(secret)].join(', ')}]`],
    ['as a list of numbers without spaces', `[${[...Buffer.from(secret)].join(',')}]`],
  ])('%s are read', (_, text) => {
    expect(readings(`the body was ${text} of all things`).some((reading) => reading.includes('amount?4711'))).toBe(true)
  })

  it('are all read where there are several', () => {
    const [one, two] = ['first body', 'second one'].map((text) => Buffer.from(text).toString('hex'))
    expect(readings(`${one} and ${two}`)).toEqual(expect.arrayContaining(['first body', 'second one']))
  })

  it.each(['connection refused by 10.0.0.1', 'ab cd ef 01 23', '1, 2, 3, 4, 5', 'elevenchars', ''])(
    'are not seen in %j',
    (text) => {
      expect(printedBytes(text)).toEqual([])
    },
  )
})

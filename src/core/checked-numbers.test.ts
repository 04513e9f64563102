import { describe, expect, it } from 'vitest'
import { holdsCardNumber, holdsIban } from './checked-numbers.ts'

describe('a card number', () => {
  it.each([
    ['of 16 digits', '4111111111111111'],
    ['of 13 digits', '4222222222222'],
    ['of 19 digits', '6304000000000000000'],
    ['of 15 digits', '378282246310005'],
    ['that begins with 2', '2223003122003222'],
    ['that begins with 6', '6011111111111117'],
    ['in groups with spaces', '4111 1111 1111 1111'],
    ['in groups with dashes', '4111-1111-1111-1111'],
    ['among words', 'card 4111111111111111 was declined'],
    ['behind another number', 'order 17 4111111111111111'],
    ['at the end of a sentence', 'declined: 4111111111111111.'],
  ])('%s is found', (_, text) => {
    expect(holdsCardNumber(text)).toBe(true)
  })

  it.each([
    ['whose check digit is wrong', '4111111111111112'],
    ['two of whose digits changed places', '4111111111111117'],
    ['of 12 digits', '411111111114'],
    ['of 20 digits', '41111111111111111115'],
    ['that begins with 1', '1111111111111117'],
    ['that begins with 7', '7111111111111116'],
    ['with two spaces in it', '4111 1111  1111 1111'],
    ['with a letter in it', '41111111a11111111'],
    ['in the middle of a longer number', '94111111111111111'],
    ['with a dash behind it and too few digits', '411111111111-'],
  ])('%s is none', (_, text) => {
    expect(holdsCardNumber(text)).toBe(false)
  })
})

describe('an IBAN', () => {
  it.each([
    ['of Norway, the shortest', 'NO9386011117947'],
    ['of Malta, among the longest', 'MT84MALT011000012345MTLCAST001S'],
    ['of Germany, in groups', 'DE89 3704 0044 0532 0130 00'],
    ['of Britain, with letters', 'GB82WEST12345698765432'],
    ['among words', 'pay to DE89370400440532013000, please'],
    ['in brackets', '(GB82WEST12345698765432)'],
  ])('%s is found', (_, text) => {
    expect(holdsIban(text)).toBe(true)
  })

  it.each([
    ['whose check digits are wrong', 'DE88370400440532013000'],
    ['with two digits exchanged', 'DE89370400440532010300'],
    ['in small letters', 'de89370400440532013000'],
    ['with one capital in front', 'D389370400440532013000'],
    ['with a letter for a check digit', 'DEX9370400440532013000'],
    ['behind a letter', 'xDE89370400440532013000'],
    ['with letters behind it', 'DE89370400440532013000x'],
    ['with two spaces in it', 'DE89 3704  0044 0532 0130 00'],
    ['too short', 'DE893704004405'],
  ])('%s is none', (_, text) => {
    expect(holdsIban(text)).toBe(false)
  })
})

/**
 * Numbers that carry a check digit, so that a card or an account can be told from any other long number. Both scans look at no
 * more than a fixed number of characters from each start, and are therefore linear on any input.
 */

const cardDigits = { min: 13, max: 19 }
const ibanLength = { min: 15, max: 34 }
const ibanHeadLength = 4

/** Whether the text holds a card number: 13 to 19 digits, in groups parted by single spaces or dashes, that pass Luhn. */
export function holdsCardNumber(text: string): boolean {
  for (let i = 0; i < text.length; i++) {
    const startsGroup = isDigit(text.charCodeAt(i)) && !isDigit(text.charCodeAt(i - 1))
    if (startsGroup && startsLikeCard(text.charCodeAt(i)) && cardStartsAt(text, i)) return true
  }
  return false
}

/** Cards of all networks begin with 2 to 6; most order numbers and timestamps do not. */
function startsLikeCard(code: number): boolean {
  return code >= 0x32 && code <= 0x36
}

/** Both sums of Luhn are kept at once, since which digits are doubled depends on where the number will end. */
function cardStartsAt(text: string, start: number): boolean {
  let count = 0
  let doublesLast = 0
  let keepsLast = 0
  for (let i = start; count < cardDigits.max; i++) {
    const code = text.charCodeAt(i)
    if (!isDigit(code)) {
      if (isSeparator(code) && isDigit(text.charCodeAt(i + 1))) continue
      return false
    }
    const digit = code - 0x30
    const beforeThis = keepsLast
    keepsLast = doublesLast + digit
    doublesLast = beforeThis + doubled(digit)
    count++
    const endsGroup = !isDigit(text.charCodeAt(i + 1))
    if (count >= cardDigits.min && endsGroup && keepsLast % 10 === 0) return true
  }
  return false
}

function doubled(digit: number): number {
  return digit < 5 ? digit * 2 : digit * 2 - 9
}

/** Whether the text holds an IBAN: two capitals, two digits, up to 30 more characters in groups, valid modulo 97. */
export function holdsIban(text: string): boolean {
  for (let i = 0; i + ibanLength.min <= text.length; i++) {
    if (isCapital(text.charCodeAt(i)) && !isAlphanumeric(text.charCodeAt(i - 1)) && ibanStartsAt(text, i)) return true
  }
  return false
}

function ibanStartsAt(text: string, start: number): boolean {
  if (!isIbanHead(text, start)) return false
  let remainder = 0
  let length = ibanHeadLength
  for (let i = start + ibanHeadLength; length < ibanLength.max; i++) {
    const code = text.charCodeAt(i)
    if (code === 0x20 && isIbanCharacter(text.charCodeAt(i + 1))) continue
    if (!isIbanCharacter(code)) return false
    remainder = appended(remainder, code)
    length++
    const ends = !isAlphanumeric(text.charCodeAt(i + 1))
    if (length >= ibanLength.min && ends && withHeadBehind(remainder, text, start) === 1) return true
  }
  return false
}

/** The country and the check digits. */
function isIbanHead(text: string, start: number): boolean {
  const [country, check] = [start, start + 2]
  return (
    isCapital(text.charCodeAt(country)) &&
    isCapital(text.charCodeAt(country + 1)) &&
    isDigit(text.charCodeAt(check)) &&
    isDigit(text.charCodeAt(check + 1))
  )
}

/** The check is made with the head moved to the end. */
function withHeadBehind(remainder: number, text: string, start: number): number {
  let moved = remainder
  for (let i = start; i < start + ibanHeadLength; i++) moved = appended(moved, text.charCodeAt(i))
  return moved
}

/** The remainder modulo 97 of the number so far with one more character behind it; a letter counts as two digits. */
function appended(remainder: number, code: number): number {
  return isDigit(code) ? (remainder * 10 + code - 0x30) % 97 : (remainder * 100 + code - 0x41 + 10) % 97
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function isCapital(code: number): boolean {
  return code >= 0x41 && code <= 0x5a
}

function isIbanCharacter(code: number): boolean {
  return isDigit(code) || isCapital(code)
}

function isAlphanumeric(code: number): boolean {
  return isIbanCharacter(code) || (code >= 0x61 && code <= 0x7a)
}

function isSeparator(code: number): boolean {
  return code === 0x20 || code === 0x2d
}

/**
 * PostgreSQL holds every character in a text but U+0000, which headers and keys of others do have. It is kept as U+FDD0, which is no character and
 * which Unicode leaves to programs for such things; where a text has that one, another stands before it. Nothing is lost, and different texts
 * stay different.
 */
const [zero, stand, mark] = ['\u0000', '\uFDD0', '\uFDD1']
const unstorable = new RegExp(`[${zero}${stand}${mark}]`, 'g')
const stored = new RegExp(`${mark}([${stand}${mark}])|${stand}`, 'g')

export function storable(text: string): string {
  return text.replace(unstorable, (found) => (found === zero ? stand : `${mark}${found}`))
}

export function restored(text: string): string {
  return text.replace(stored, (_, kept: string | undefined) => kept ?? zero)
}

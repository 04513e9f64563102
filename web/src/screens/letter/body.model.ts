import { parseExactly, printExactly } from '../../../../src/core/exact-json.ts'
import type { Content } from '../../api/letters.ts'
import { seenLines } from '../../parts/seen.model.ts'
import { repeatsName } from '../edit/json-place.model.ts'
import { xmlLines } from './xml-lines.model.ts'

export type Body = Content['body']
export type View = 'formatted' | 'text' | 'hex'

/** Beyond this nobody reads on a screen, and a browser becomes slow; the whole is an attachment. */
const mostShown = 256 * 1024

export interface ShownBody {
  readonly text: string
  readonly isCut: boolean
}

/** Which ways of looking there are. */
export function viewsOf(body: Body): readonly View[] {
  switch (body.kind) {
    case 'json':
      return ['formatted']
    case 'text':
      return inLines(body.text) === undefined ? ['text', 'hex'] : ['formatted', 'text', 'hex']
    case 'bytes':
      return ['hex']
    default:
      return []
  }
}

export function shownBody(body: Body, view: View): ShownBody {
  switch (body.kind) {
    case 'json':
      return cut(JSON.stringify(body.value, null, 2), false)
    case 'text':
      if (view === 'hex') return cut(hexDump(new TextEncoder().encode(body.text)), body.isCut)
      return cut((view === 'formatted' && inLines(body.text)) || body.text, body.isCut)
    case 'bytes':
      return cut(hexDump(Uint8Array.from(atob(body.base64), (character) => character.charCodeAt(0))), body.isCut)
    default:
      return { text: '', isCut: false }
  }
}

function cut(text: string, wasCut: boolean): ShownBody {
  return { text: seenLines(text.slice(0, mostShown)), isCut: wasCut || text.length > mostShown }
}

/** As it is read best: JSON and XML in lines. What is edited is not XML in other lines, in which white space may mean something. */
function inLines(text: string): string | undefined {
  return formatted(text) ?? (text.length > mostShown ? undefined : xmlLines(text))
}

/**
 * JSON with its numbers as they were written; `undefined` for what is none, for what is too long to be worth it, and where a name stands twice in a
 * mapping: of those one would be lost.
 */
export function formatted(text: string): string | undefined {
  if (text.length > mostShown || !/^\s*[[{]/.test(text)) return undefined
  try {
    const value = parseExactly(text)
    return repeatsName(text) ? undefined : printExactly(value, 2)
  } catch {
    return undefined
  }
}

const perLine = 16
const mostDumped = 16 * 1024

export function hexDump(bytes: Uint8Array): string {
  const lines: string[] = []
  for (let start = 0; start < Math.min(bytes.length, mostDumped); start += perLine) {
    const row = [...bytes.subarray(start, start + perLine)]
    const hex = row.map((byte) => byte.toString(16).padStart(2, '0')).join(' ')
    const text = row.map((byte) => (byte >= 0x20 && byte < 0x7f ? String.fromCharCode(byte) : '·')).join('')
    lines.push(`${start.toString(16).padStart(8, '0')}  ${hex.padEnd(perLine * 3 - 1)}  ${text}`)
  }
  return lines.join('\n') + (bytes.length > mostDumped ? `\n… ${bytes.length - mostDumped} bytes more` : '')
}

import { readFile } from 'node:fs/promises'
import { relative, resolve } from 'node:path'
import { RedriveError } from '../../core/errors.ts'
import { type Json, parseExactly, printExactly } from '../../core/exact-json.ts'
import { applyPatch } from '../../core/json-patch.ts'
import { duplicateKey } from '../duplicate-keys.ts'
import { textOf } from '../output/content.ts'
import type { Terminal } from '../terminal.ts'
import { edited } from './editor.ts'

export interface BodyOptions {
  readonly bodyFile?: string
  readonly jsonPatch?: string
}

/** The body as the options change it; in an editor where nothing else was asked for. */
export async function newBody(
  body: Uint8Array | null,
  { bodyFile, jsonPatch }: BodyOptions,
  inEditor: boolean,
  terminal: Terminal,
): Promise<Uint8Array | null> {
  if (bodyFile !== undefined && jsonPatch !== undefined)
    throw new RedriveError('bad-option', 'Give --body-file or --json-patch, and not both.')
  if (bodyFile !== undefined) return fileContent(bodyFile, terminal)
  if (jsonPatch !== undefined) return patched(body, await fileContent(jsonPatch, terminal), jsonPatch)
  return inEditor ? bytesOf(await editedText(body, terminal), body) : body
}

async function editedText(body: Uint8Array | null, terminal: Terminal): Promise<string> {
  const text = body === null ? undefined : textOf(body)
  if (text === undefined) throw new RedriveError('bad-option', 'The body is no text: give a new one with --body-file.')
  return edited(text, jsonOf(text) === undefined ? '.txt' : '.json', terminal)
}

/** Editors end a file with a line break; where the body had none, it gets none. */
function bytesOf(text: string, before: Uint8Array | null): Uint8Array {
  const hadBreak = before?.at(-1) === 0x0a
  return new TextEncoder().encode(hadBreak ? text : text.replace(/\r?\n$/, ''))
}

function patched(body: Uint8Array | null, patch: Uint8Array, name: string): Uint8Array {
  const document = body === null ? undefined : exactly(textOf(body))
  if (document === undefined)
    throw new RedriveError('bad-option', 'The body is no JSON that says each thing once, so that a patch means nothing to it.')
  const operations = exactly(textOf(patch))
  if (operations === undefined) throw new RedriveError('bad-option', `${name}: it is no JSON that says each thing once.`)
  return new TextEncoder().encode(printExactly(applyPatch(document, operations)))
}

function exactly(text: string | undefined): Json | undefined {
  const json = text === undefined ? undefined : jsonOf(text)
  return json === undefined || duplicateKey(text ?? '') !== undefined ? undefined : json
}

/** The JSON that a text is, or nothing. */
export function jsonOf(text: string): Json | undefined {
  try {
    return parseExactly(text)
  } catch {
    return undefined
  }
}

async function fileContent(given: string, terminal: Terminal): Promise<Uint8Array> {
  const path = resolve(terminal.folder, given)
  try {
    return await readFile(path)
  } catch (cause) {
    throw new RedriveError('bad-option', `${relative(terminal.folder, path) || path}: it cannot be read.`, { cause })
  }
}

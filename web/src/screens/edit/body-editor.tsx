import { type EditorState, type Extension, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { editHistory } from './edit-history.ts'
import { editorColours, mountEditor } from './editor-host.ts'
import { findJsonMistake, type JsonMistake } from './json-mistake.model.ts'
import { remarkOn } from './remarks.ts'
import type { SchemaMistake } from './schema.model.ts'
import { schemaMarks, showSchemaMistakes } from './schema-marks.ts'

/** A text that the editor is to show from now on. Another object with the same text is a new wish. */
export interface GivenText {
  readonly text: string
}

interface BodyEditorProps {
  readonly given: GivenText
  readonly isJson: boolean
  /** What is wrong by the schema, as far as it is known. */
  readonly mistakes: readonly SchemaMistake[]
  readonly onChange: (text: string) => void
}

/**
 * The body as it is edited. What is no JSON any more, or not as its schema wants it, is said at the very line. The text is the editor's own:
 * what it told of is already old when the page has drawn it, and must never be written over what was typed since.
 */
export function BodyEditor({ given, isJson, mistakes, onChange }: BodyEditorProps) {
  const host = useRef<HTMLDivElement>(null)
  const view = useRef<EditorView>(undefined)
  const latest = useRef(onChange)
  latest.current = onChange
  const first = useRef(given.text)
  useEffect(() => {
    if (!host.current) return
    view.current = mountEditor(host.current, first.current, [
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({ 'aria-label': 'Body', spellcheck: 'false', autocapitalize: 'off' }),
      EditorView.updateListener.of(({ docChanged, state }) => docChanged && latest.current(state.doc.toString())),
      lineNumbers(),
      editHistory,
      editorColours,
      roomy,
      schemaMarks,
      ...(isJson ? [jsonMistakes] : []),
    ])
    return () => view.current?.destroy()
  }, [isJson])
  useEffect(() => {
    const shown = view.current
    if (shown && shown.state.doc.toString() !== given.text) {
      shown.dispatch({ changes: { from: 0, to: shown.state.doc.length, insert: given.text } })
    }
  }, [given])
  useEffect(() => {
    if (view.current) showSchemaMistakes(view.current, mistakes)
  }, [mistakes])
  return <div ref={host} className="max-h-[32rem] min-h-60 overflow-auto rounded-md border border-control bg-surface" />
}

/** A click below the last line is a click into the text. */
const roomy = EditorView.theme({ '.cm-content, .cm-gutter': { minHeight: '15rem' } })

interface Found {
  readonly mistake: JsonMistake | undefined
  readonly shown: DecorationSet
}

const jsonMistakes: Extension = StateField.define<Found>({
  create: lookedAt,
  update: (before, { docChanged, state }) => (docChanged ? lookedAt(state) : before),
  provide: (field) => [
    EditorView.decorations.from(field, ({ shown }) => shown),
    EditorView.contentAttributes.compute([field], (state): Record<string, string> => {
      const { mistake } = state.field(field)
      return mistake ? { 'aria-invalid': 'true' } : {}
    }),
  ],
})

function lookedAt({ doc }: EditorState): Found {
  const mistake = findJsonMistake(doc.toString())
  if (!mistake) return { mistake, shown: Decoration.none }
  const marks = remarkOn(doc, { from: mistake.at, to: mistake.at + 1 }, mistake.text)
  return { mistake, shown: Decoration.set([...marks], true) }
}

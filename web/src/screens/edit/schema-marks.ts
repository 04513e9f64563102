import { type EditorState, type Extension, StateEffect, StateField } from '@codemirror/state'
import { Decoration, type DecorationSet, EditorView } from '@codemirror/view'
import { seen } from '../../parts/seen.model.ts'
import { remarkOn } from './remarks.ts'
import type { SchemaMistake } from './schema.model.ts'
import { placedMistakes } from './schema.model.ts'

const found = StateEffect.define<readonly SchemaMistake[]>()

const marks = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(before, { changes, effects, state }) {
    const told = effects.findLast((effect) => effect.is(found))
    // Until the server has looked again, what it said stays with the text that it said it about.
    return told ? marksOf(state, told.value) : before.map(changes)
  },
  provide: (field) => [
    EditorView.decorations.from(field),
    EditorView.contentAttributes.compute([field], (state): Record<string, string> => {
      return state.field(field).size > 0 ? { 'aria-invalid': 'true' } : {}
    }),
  ],
})

function marksOf({ doc }: EditorState, mistakes: readonly SchemaMistake[]): DecorationSet {
  const placed = placedMistakes(doc.toString(), mistakes)
  return Decoration.set(
    placed.flatMap(({ span, text }) => remarkOn(doc, span, seen(text))),
    true,
  )
}

/** Room for what is wrong by the schema, at the places where it is wrong. */
export const schemaMarks: Extension = marks

export function showSchemaMistakes(view: EditorView, mistakes: readonly SchemaMistake[]): void {
  view.dispatch({ effects: found.of(mistakes) })
}

import { Annotation, type ChangeSet, type Extension, type StateCommand, StateField, Transaction } from '@codemirror/state'
import { keymap } from '@codemirror/view'

interface Step {
  /** What takes the text back to how it was before. */
  readonly back: ChangeSet
  readonly at: number
  /** By a person, key by key; all else is a step of its own. */
  readonly isTyped: boolean
}

interface Steps {
  readonly done: readonly Step[]
  readonly undone: readonly Step[]
}

/** What is typed without a pause is taken back at once. */
const pause = 500
const mostSteps = 200

const isUndo = Annotation.define<'undo' | 'redo'>()

const steps = StateField.define<Steps>({
  create: () => ({ done: [], undone: [] }),
  update(before, transaction) {
    if (!transaction.docChanged) return before
    const back = transaction.changes.invert(transaction.startState.doc)
    const isTyped = transaction.isUserEvent('input.type') || transaction.isUserEvent('delete')
    const step = { back, isTyped, at: transaction.annotation(Transaction.time) ?? 0 }
    const { done, undone } = before
    switch (transaction.annotation(isUndo)) {
      case 'undo':
        return { done: done.slice(0, -1), undone: [...undone, step] }
      case 'redo':
        return { done: [...done, step], undone: undone.slice(0, -1) }
      default:
        return { done: withStep(done, step), undone: [] }
    }
  },
})

function withStep(done: readonly Step[], step: Step): readonly Step[] {
  const last = done.at(-1)
  const goesOn = last?.isTyped && step.isTyped && step.at - last.at <= pause
  if (!goesOn) return [...done.slice(1 - mostSteps), step]
  return [...done.slice(0, -1), { ...step, back: step.back.compose(last.back) }]
}

function take(which: 'undo' | 'redo'): StateCommand {
  return ({ state, dispatch }) => {
    const { done, undone } = state.field(steps)
    const step = (which === 'undo' ? done : undone).at(-1)
    if (!step) return false
    dispatch(state.update({ changes: step.back, annotations: isUndo.of(which), scrollIntoView: true }))
    return true
  }
}

/** Undo and redo, by the keys that people know. */
export const editHistory: Extension = [
  steps,
  keymap.of([
    { key: 'Mod-z', run: take('undo'), preventDefault: true },
    { key: 'Mod-y', mac: 'Mod-Shift-z', run: take('redo'), preventDefault: true },
    { key: 'Mod-Shift-z', run: take('redo'), preventDefault: true },
  ]),
]

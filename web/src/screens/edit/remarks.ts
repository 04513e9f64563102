import type { Range, Text } from '@codemirror/state'
import { Decoration, WidgetType } from '@codemirror/view'
import type { Span } from './json-place.model.ts'

/** Marks a piece of the text and says below its first line what is wrong there. */
export function remarkOn(doc: Text, { from, to }: Span, text: string): readonly Range<Decoration>[] {
  const line = doc.lineAt(Math.min(from, doc.length))
  const end = Math.min(to, line.to)
  return [
    Decoration.line({ class: 'redrive-bad-line' }).range(line.from),
    ...(end > from ? [Decoration.mark({ class: 'redrive-bad' }).range(from, end)] : []),
    Decoration.widget({ widget: new Remark(text), side: 1, block: true }).range(line.to),
  ]
}

/** What is wrong, in a line of its own below the one that it is about. The library takes what it draws as a class. */
class Remark extends WidgetType {
  readonly text: string

  constructor(text: string) {
    super()
    this.text = text
  }

  override eq(other: Remark): boolean {
    return other.text === this.text
  }

  override toDOM(): HTMLElement {
    const told = document.createElement('div')
    told.className = 'redrive-remark'
    told.dataset['testid'] = 'remark'
    told.textContent = `✕ ${this.text}`
    return told
  }
}

import { EditorState, type Extension } from '@codemirror/state'
import { EditorView } from '@codemirror/view'

/** In the colours of the page, in light and dark. */
export const editorColours: Extension = EditorView.theme({
  '&': { fontSize: '0.75rem', backgroundColor: 'var(--color-surface)', color: 'var(--color-ink)' },
  '.cm-scroller': { fontFamily: 'var(--font-mono)' },
  '.cm-content': { caretColor: 'var(--color-ink)' },
  '&.cm-focused': { outline: '2px solid var(--color-accent)', outlineOffset: '-2px' },
  '.cm-gutters': { backgroundColor: 'transparent', color: 'var(--color-muted)', borderColor: 'var(--color-line)' },
  '&.cm-merge-b .cm-changedLine, .cm-insertedLine, .cm-inlineChangedLine': { backgroundColor: 'var(--color-good-tint)' },
  '.cm-deletedChunk': { backgroundColor: 'var(--color-bad-tint)' },
  '&.cm-merge-b .cm-changedText': { background: 'none', textDecoration: 'underline', color: 'var(--color-good)' },
  '.cm-deletedChunk .cm-deletedText': { background: 'none', color: 'var(--color-bad)' },
  '.redrive-bad-line': { backgroundColor: 'var(--color-bad-tint)' },
  '.redrive-bad': { textDecoration: 'underline wavy var(--color-bad)' },
  '.redrive-remark': { padding: '0 0.5rem 0.25rem', color: 'var(--color-bad)', backgroundColor: 'var(--color-bad-tint)' },
})

/** Within a shadow root its styles are adopted by the document's own interface, and no style element is needed that the policy would refuse. */
export function mountEditor(host: HTMLElement, doc: string, extensions: readonly Extension[]): EditorView {
  const root = host.shadowRoot ?? host.attachShadow({ mode: 'open' })
  return new EditorView({ root, parent: root, state: EditorState.create({ doc, extensions: [...extensions] }) })
}

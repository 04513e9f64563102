import { unifiedMergeView } from '@codemirror/merge'
import { EditorState } from '@codemirror/state'
import { EditorView, lineNumbers } from '@codemirror/view'
import { useEffect, useRef } from 'react'
import { editorColours, mountEditor } from './editor-host.ts'

interface DiffProps {
  readonly before: string
  readonly after: string
}

/** What changed, line by line. It only shows; the text is edited beside it. */
export function Diff({ before, after }: DiffProps) {
  const host = useRef<HTMLDivElement>(null)
  useEffect(() => {
    if (!host.current) return
    const view = mountEditor(host.current, after, [
      EditorView.editable.of(false),
      EditorState.readOnly.of(true),
      EditorView.lineWrapping,
      EditorView.contentAttributes.of({
        'aria-label': 'What changed',
        role: 'textbox',
        'aria-readonly': 'true',
        tabindex: '0',
      }),
      lineNumbers(),
      editorColours,
      unifiedMergeView({ original: before, mergeControls: false, collapseUnchanged: { margin: 3, minSize: 8 } }),
    ])
    return () => view.destroy()
  }, [before, after])
  return <div ref={host} data-testid="diff" className="max-h-96 overflow-auto" />
}

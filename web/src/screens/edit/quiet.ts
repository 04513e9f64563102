import { useEffect, useState } from 'react'

/** Milliseconds without a key: shorter than a thought, longer than the pause between two letters of a word. */
const pause = 250

/** A text as it was when nobody had typed for a moment; at first, as it is. */
export function useQuiet(text: string): string {
  const [quiet, setQuiet] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setQuiet(text), pause)
    return () => clearTimeout(timer)
  }, [text])
  return quiet
}

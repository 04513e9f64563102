import { useCallback, useRef } from 'react'

/** The same function at every render, which does what the latest one does: rows that were drawn need not be drawn again for it. */
export function useStable<Args extends readonly unknown[], Result>(latest: (...args: Args) => Result): (...args: Args) => Result {
  const current = useRef(latest)
  current.current = latest
  return useCallback((...args: Args) => current.current(...args), [])
}

import { type RefObject, useEffect, useState } from 'react'

/** How far from the top of the page something stands. Measured when the page changes its size, and not at every key. */
export function useTopOf(element: RefObject<HTMLElement | null>): number {
  const [top, setTop] = useState(0)
  useEffect(() => {
    const measure = (): void => setTop(element.current?.offsetTop ?? 0)
    const observer = new ResizeObserver(measure)
    observer.observe(document.body)
    return () => observer.disconnect()
  }, [element])
  return top
}

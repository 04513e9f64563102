/**
 * Many who want to know the same at nearly the same time share one answer, which was asked for after each of them wanted it: what somebody
 * has just seen on a broker must not be compared with what was in the vault before.
 */
export function sharedRead<T>(read: () => Promise<T>): () => Promise<T> {
  let running: Promise<unknown> | undefined
  let next: Promise<T> | undefined
  return () => {
    next ??= (running ?? Promise.resolve()).then(begin, begin)
    return next
  }

  function begin(): Promise<T> {
    next = undefined
    const own = read()
    running = own
    return own
  }
}

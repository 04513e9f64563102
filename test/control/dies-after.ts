const longestMoment = 5

/**
 * For a process that tells itself how far it came: it dies as by kill -9 a moment after it has done so this many times, whatever it does by then. Nobody else
 * could be sure to be in time. Milliseconds.
 */
export function diesAfter(steps: number): () => void {
  let done = 0
  return () => {
    if (++done === steps) setTimeout(() => process.kill(process.pid, 'SIGKILL'), Math.random() * longestMoment)
  }
}

/** Milliseconds. Short enough that nobody who waits for an answer of such a process waits for much longer than its share says. */
const period = 6

/**
 * From now on each of these processes has such a share of a processor, as on a small machine of its own, however much the machine has: it is stopped for
 * the rest of every few milliseconds, each at another moment. Gives what ends that. What they had is to be measured: timers come late.
 */
export function limitProcessors(pids: readonly number[], share: number): () => void {
  const ends = pids.map((pid, place) => limit(pid, share, (place * period) / pids.length))
  return () => {
    for (const end of ends) end()
  }
}

function limit(pid: number, share: number, after: number): () => void {
  let timer = setTimeout(go, after)

  function go(): void {
    process.kill(pid, 'SIGCONT')
    timer = setTimeout(halt, period * share)
  }

  function halt(): void {
    process.kill(pid, 'SIGSTOP')
    timer = setTimeout(go, period * (1 - share))
  }

  return () => {
    clearTimeout(timer)
    process.kill(pid, 'SIGCONT')
  }
}

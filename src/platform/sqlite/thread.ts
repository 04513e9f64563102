import { Worker } from 'node:worker_threads'

/** A worker thread that is started when it is first needed, and anew after it died. */
export interface Thread<Request> {
  /**
   * Throws where the request cannot be sent or no thread can be started: then nobody will answer it. `moved` are buffers in it that are not
   * copied, and that the sender has no longer.
   */
  post(request: Request, moved?: readonly ArrayBuffer[]): void
  /** Whether it keeps the process alive. */
  hold(alive: boolean): void
  close(): Promise<void>
}

export interface ThreadEvents<Reply> {
  reply(reply: Reply): void
  /** Whatever was posted and not answered has no outcome that anybody knows. */
  died(cause: unknown): void
}

/** A file beside the one that asks, as source while developing and as JavaScript in the package. */
export function workerBeside(asking: string, name: string): URL {
  return new URL(`./${name}${asking.endsWith('.ts') ? '.ts' : '.js'}`, asking)
}

export function createThread<Request, Reply>(entry: URL, settings: object, events: ThreadEvents<Reply>): Thread<Request> {
  let worker: Worker | undefined
  let alive = false

  /** What the user's process preloads (instrumentation, loaders) is not for this thread. */
  function start(): Worker {
    const started = new Worker(entry, { workerData: settings, execArgv: [] })
    let cause: unknown = new Error('The worker thread ended.')
    started.on('message', events.reply)
    started.on('error', (error) => {
      cause = error
    })
    started.on('exit', () => {
      if (worker === started) worker = undefined
      events.died(cause)
    })
    if (!alive) started.unref()
    return started
  }

  return {
    post(request, moved = []) {
      worker ??= start()
      worker.postMessage(request, [...moved])
    },
    hold(wanted) {
      if (alive === wanted) return
      alive = wanted
      if (wanted) worker?.ref()
      else worker?.unref()
    },
    async close() {
      const ending = worker
      worker = undefined
      if (!ending) return
      ending.ref()
      const ended = new Promise((resolve) => ending.once('exit', resolve))
      ending.postMessage('close')
      await ended
    },
  }
}

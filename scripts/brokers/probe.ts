import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const answerWithin = 10_000
const betweenProbes = 25

/** Asks again and again until the answer is yes. A probe that throws is a no: the broker is not there yet. */
export async function untilReady(probe: () => Promise<boolean>, deadline: number, gaveUp: AbortSignal): Promise<void> {
  for (;;) {
    gaveUp.throwIfAborted()
    if (await probe().catch(() => false)) return
    if (performance.now() > deadline) throw new Error('The broker did not answer in time.')
    await sleep(betweenProbes)
  }
}

/** Opens a connection to a port of this machine. */
export type Reach = (port: number) => Socket

const inTheClear: Reach = (port) => connect(port, '127.0.0.1')

/** Sends bytes and gives the first bytes that come back. */
export async function ask(port: number, question: Uint8Array, reach: Reach = inTheClear): Promise<Buffer> {
  const socket = reach(port)
  try {
    const signal = AbortSignal.timeout(answerWithin)
    await once(socket, 'connect', { signal })
    socket.write(question)
    const [answer] = await once(socket, 'data', { signal })
    return answer
  } finally {
    socket.destroy()
  }
}

export async function httpAnswers(url: string, init: RequestInit = {}): Promise<boolean> {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(answerWithin) })
  await response.arrayBuffer()
  return response.ok
}

import type { Delivery, Settlement, Transport } from '../../../src/transports/seam.ts'
import { faultChannels } from '../messages.ts'

/**
 * The moments of the two ways by which a message leaves a consumer that failed, where a broker knows no atomic move: a copy is sent and confirmed, then the
 * original is acknowledged; or the original is rejected. A process kills itself exactly there, while others of its messages are
 * under way at every other moment.
 */
export const copyPoints = ['before send', 'after send', 'after confirm', 'before ack', 'after ack sent', 'after ack'] as const
export const rejectPoints = ['before reject', 'after reject sent', 'after reject'] as const

export type Path = 'letter' | 'retry' | 'reject'

/** `letter: before send` and so on. */
export function barrierName(path: Path, point: string): string {
  return `${path}: ${point}`
}

/** `passes` messages go through the point first, so that the kill finds a consumer with full hands. */
function createDeath(chosen: string | undefined, passes: number): (path: Path, point: string) => void {
  let seen = 0
  return (path, point) => {
    if (barrierName(path, point) === chosen && seen++ >= passes) process.kill(process.pid, 'SIGKILL')
  }
}

interface DeathOptions {
  /** The channel to which copies of retries go. */
  readonly work?: string
  /** Dies after sending also where the answer was faster: on a busy machine it may always be. */
  readonly alsoAnswered?: boolean
}

export function withDeaths(
  transport: Transport,
  chosen: string | undefined,
  passes: number,
  { work = faultChannels.work, alsoAnswered = false }: DeathOptions = {},
): Transport {
  const die = createDeath(chosen, passes)
  /** Messages of which a copy was confirmed and whose original still has to be acknowledged. */
  const copied = new Map<string, Path>()

  async function settle(delivery: Delivery, settlement: Settlement): Promise<void> {
    const id = delivery.message.id ?? ''
    const path = settlement.kind === 'reject' ? 'reject' : settlement.kind === 'complete' ? copied.get(id) : undefined
    copied.delete(id)
    if (path === undefined) return transport.settle(delivery, settlement)
    const verb = path === 'reject' ? 'reject' : 'ack'
    die(path, `before ${verb}`)
    await sentThen(transport.settle(delivery, settlement), alsoAnswered, () => die(path, `after ${verb} sent`))
    die(path, `after ${verb}`)
  }

  return {
    ...transport,
    settle,
    async send(address, message, options) {
      const path = address.name === work ? 'retry' : 'letter'
      die(path, 'before send')
      const receipt = await sentThen(transport.send(address, message, options), alsoAnswered, () => die(path, 'after send'))
      copied.set(message.id ?? '', path)
      die(path, 'after confirm')
      return receipt
    },
  }
}

/** Some turns of the event loop, in which the bytes leave the process. Where the machine is busy, answers come within as many: then one less. */
let turnsToLeave = 3

/**
 * Calls `sent` when the bytes are on their way and the broker has not answered yet. Where the answer was faster, only if told, or where no turn less is
 * left to be waited: what the broker answered then may have been the last.
 */
async function sentThen<T>(work: Promise<T>, alsoAnswered: boolean, sent: () => void): Promise<T> {
  let answered = false
  const settled = work.finally(() => {
    answered = true
  })
  settled.catch(() => {})
  for (let turn = 0; turn < turnsToLeave; turn++) await new Promise((resolve) => setImmediate(resolve))
  const isShortest = turnsToLeave === 1
  if (answered && !isShortest) turnsToLeave--
  if (!answered || alsoAnswered || isShortest) sent()
  return settled
}

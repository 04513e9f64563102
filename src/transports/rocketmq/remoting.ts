import { Buffer } from 'node:buffer'
import { connect, type Socket } from 'node:net'
import { connect as connectSecurely } from 'node:tls'
import { RedriveError } from '../../core/errors.ts'
import type { Cancel } from '../../core/ports.ts'
import { lostError } from './answers.ts'
import type { Settings } from './options.ts'
import { type Answer, encodeQuestion, type Question, takeAnswer } from './remoting-format.ts'
import { signedQuestion } from './signature.ts'

/** Brokers and name servers as they are asked for what the proxy does not know. */
export interface Remoting {
  /** At `host:port`. Rejects where there is no answer; an answer that is a refusal is given. */
  ask(at: string, question: Question): Promise<Answer>
  close(): void
}

interface Waiting {
  resolve(answer: Answer): void
  reject(error: RedriveError): void
  readonly cancel: Cancel
}

interface Connection {
  ask(question: Question): Promise<Answer>
  end(): void
}

type RemotingSettings = Pick<Settings, 'clock' | 'answerWithin' | 'tls' | 'credentials'>

/** One connection for each server, which is made anew when somebody asks after it was lost. */
export function createRemoting({ clock, answerWithin, tls, credentials }: RemotingSettings): Remoting {
  const connections = new Map<string, Connection>()

  function reach(at: string): Socket {
    const colon = at.lastIndexOf(':')
    const [host, port] = [at.slice(0, colon), Number(at.slice(colon + 1))]
    return tls ? connectSecurely({ ...tls, host, port }) : connect(port, host)
  }

  function open(at: string): Connection {
    const waiting = new Map<number, Waiting>()
    const socket = reach(at)
    let isReached = false
    let asked = 0
    let bytes: Buffer = Buffer.alloc(0)
    socket.setNoDelay()
    socket.unref()
    socket.on('data', (more) => {
      bytes = Buffer.concat([bytes, more])
      for (let taken = takeAnswer(bytes); taken; taken = takeAnswer(bytes)) {
        bytes = taken.rest
        finish(taken.opaque)?.resolve(taken.answer)
      }
    })
    socket.once(tls ? 'secureConnect' : 'connect', () => {
      isReached = true
    })
    socket.on('error', (error) => lose(isReached ? lostError(error) : unreached(error)))
    socket.on('close', () => lose(new RedriveError('unsure', 'The connection to RocketMQ was lost before it answered.')))

    function finish(opaque: number): Waiting | undefined {
      const done = waiting.get(opaque)
      waiting.delete(opaque)
      done?.cancel()
      return done
    }

    function lose(error: RedriveError): void {
      if (connections.get(at) === connection) connections.delete(at)
      for (const opaque of [...waiting.keys()]) finish(opaque)?.reject(error)
      socket.destroy()
    }

    const connection: Connection = {
      ask: (question) =>
        new Promise((resolve, reject) => {
          const opaque = ++asked
          const silent = (): void => lose(new RedriveError('unsure', `RocketMQ did not answer within ${answerWithin} ms.`))
          waiting.set(opaque, { resolve, reject, cancel: clock.after(answerWithin, silent) })
          socket.write(encodeQuestion(opaque, credentials ? signedQuestion(question, credentials) : question))
        }),
      end: () => lose(new RedriveError('closed', 'The RocketMQ transport is closed.')),
    }
    return connection
  }

  return {
    ask(at, question) {
      const connection = connections.get(at) ?? open(at)
      connections.set(at, connection)
      return connection.ask(question)
    },
    close() {
      for (const connection of connections.values()) connection.end()
    },
  }
}

/** Before there was a connection, or where its certificate is not trusted, nothing was asked. */
function unreached(cause: Error): RedriveError {
  return new RedriveError('unreachable', `RocketMQ cannot be reached; nothing was done: ${cause.message}`, { cause })
}

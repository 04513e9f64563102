import { createHash } from 'node:crypto'
import type { RedisOptions as ClientOptions, Redis } from 'ioredis'
import { RedriveError } from '../../core/errors.ts'
import { loadIoredis } from './library.ts'
import type { Settings } from './options.ts'
import { answeredError, connectError, firstWord, isAnswer, silentError } from './server-errors.ts'

export type Argument = string | number | Buffer
/** As the wire has it: bytes, whole numbers, nothing, or a list of them. */
export type Answer = Buffer | number | null | readonly Answer[]

/** What runs on the server as one step. */
export interface Script {
  readonly lua: string
  readonly sha: string
}

export function script(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}

/** The server as the transport sees it. Rejects with `unreachable` when it was certainly not asked, with `unsure` when it did not answer. */
export interface Connection {
  ask(command: string, ...args: Argument[]): Promise<Answer>
  run(script: Script, keys: readonly string[], args: readonly Argument[]): Promise<Answer>
  /** A connection of its own, for whoever listens. */
  dedicated(): Promise<Redis>
  close(): Promise<void>
}

/** Answers after which another server has to be asked: this one is no primary any more, or the keys stand elsewhere. */
const elsewhere = new Set(['READONLY', 'MOVED', 'MASTERDOWN', 'CLUSTERDOWN'])
/** How often keys may have moved until one call finds them. */
const mostMoves = 5

/**
 * One connection, made when it is needed and made anew when it is lost; calls that are made close together travel together. All keys
 * stand in one slot, so that in a cluster, too, one connection is enough: to the node that has them.
 */
export function createConnection(settings: Settings): Connection {
  let client: Promise<Redis> | undefined
  /** How each open connection stops being the one that is used. */
  const forgetting = new WeakMap<Redis, () => void>()
  let isClosed = false
  let node: { readonly host: string; readonly port: number } | undefined

  async function connect(): Promise<Redis> {
    const { Redis } = await loadIoredis()
    const connecting = new Redis({ ...clientOptions(settings), ...node, replyMapping: 'legacy' })
    let lastError: unknown
    connecting.on('error', (error) => {
      lastError = error
    })
    try {
      await connecting.connect()
      return connecting
    } catch (error) {
      connecting.disconnect()
      // The node that the cluster named may be gone for good.
      node = undefined
      throw connectError(lastError ?? error)
    }
  }

  function connected(): Promise<Redis> {
    if (client) return client
    // Whoever still asks would open one that nobody closes.
    if (isClosed) return Promise.reject(new RedriveError('closed', 'The Redis transport is closed.'))
    const opening = connect()
    client = opening
    const forget = (): void => {
      if (client === opening) client = undefined
    }
    opening.then((open) => {
      forgetting.set(open, forget)
      open.once('end', forget)
    }, forget)
    return opening
  }

  /** Once: many calls may wait for an answer that does not come, and by the time the last of them knows, there is a newer connection. */
  function drop(open: Redis): void {
    const forget = forgetting.get(open)
    if (!forget) return
    forgetting.delete(open)
    forget()
    open.disconnect()
  }

  /**
   * What is asked together leaves in one piece: one system call here, and there it is read at once, so that all of it is on the disk with one
   * write.
   */
  function bundle({ stream }: Redis): void {
    if (stream.writableCorked > 0) return
    stream.cork()
    process.nextTick(() => stream.uncork())
  }

  /** The first call on a connection that died unnoticed has not left the process: it goes by the next one. */
  async function perform(command: string, args: Argument[], moves = 0): Promise<Answer> {
    const open = await connected()
    if (open.status !== 'ready') {
      drop(open)
      if (moves >= mostMoves) throw new RedriveError('unreachable', 'Redis cannot be reached; nothing was done.')
      return perform(command, args, moves + 1)
    }
    try {
      bundle(open)
      return (await open.callBuffer(command, args)) as Answer
    } catch (error) {
      if (!isAnswer(error)) {
        drop(open)
        throw silentError(error)
      }
      const word = firstWord(error.message)
      if (elsewhere.has(word)) drop(open)
      if (word !== 'MOVED' || moves >= mostMoves) throw error
      node = nodeIn(error.message)
      return perform(command, args, moves + 1)
    }
  }

  async function ask(command: string, ...args: Argument[]): Promise<Answer> {
    try {
      return await perform(command, args)
    } catch (error) {
      throw isAnswer(error) ? answeredError(error.message) : error
    }
  }

  return {
    ask,

    /** A server that was restarted has forgotten all scripts. */
    async run({ lua, sha }, keys, args) {
      const called = [sha, keys.length, ...keys, ...args]
      try {
        return await perform('EVALSHA', called)
      } catch (error) {
        if (!isAnswer(error)) throw error
        if (firstWord(error.message) !== 'NOSCRIPT') throw answeredError(error.message)
        return ask('EVAL', lua, ...called.slice(1))
      }
    },

    dedicated: connect,

    async close() {
      isClosed = true
      const open = await client?.catch(() => undefined)
      client = undefined
      open?.disconnect()
    },
  }
}

/** `MOVED 3999 127.0.0.1:6381`; without a host it is the same one. */
function nodeIn(answer: string): { readonly host: string; readonly port: number } | undefined {
  const [, host, port] = / ([^ ]*):(\d+)$/.exec(answer) ?? []
  return host && port ? { host, port: Number(port) } : undefined
}

function clientOptions({ url, tls, connectWithin, answerWithin }: Settings): ClientOptions {
  const { hostname, port, username, password, pathname, protocol } = new URL(url)
  return {
    host: hostname.replace(/^\[|\]$/g, ''),
    port: Number(port || 6379),
    ...(username !== '' && { username: decodeURIComponent(username) }),
    ...(password !== '' && { password: decodeURIComponent(password) }),
    db: Number(pathname.slice(1) || 0),
    ...((protocol === 'rediss:' || tls) && { tls: tls ?? {} }),
    connectionName: 'redrive',
    disableClientInfo: true,
    protocol: 2,
    keepAlive: 10_000,
    lazyConnect: true,
    // What a call needs to know is whether it left: nothing waits inside the library, and nothing is sent twice by it.
    enableOfflineQueue: false,
    enableReadyCheck: false,
    autoResendUnfulfilledCommands: false,
    autoResubscribe: false,
    retryStrategy: null,
    maxRetriesPerRequest: null,
    connectTimeout: connectWithin,
    commandTimeout: answerWithin,
  }
}

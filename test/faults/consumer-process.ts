import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'

/** What a consumer process is told to do. */
export interface ConsumerOrder {
  readonly subject: string
  readonly connection: string
  readonly log: string
  readonly prefetch: number
  /** Turns that a message has before it is poison. */
  readonly turns: number
  /** Milliseconds. */
  readonly hold: number
  /** Where letters go; to the channel of every run unless told. */
  readonly deadLetter?: string
  /** Messages with one key may overtake each other. */
  readonly inAnyOrder?: boolean
  readonly barrier?: string
  /** Messages that go through the barrier before it closes. */
  readonly passes?: number
  /** Messages that may wait for the dead-letter channel; what the runtime takes by itself unless told. */
  readonly maxHeld?: number
  /** The folder in which letters wait for it instead. */
  readonly spool?: string
  /** How far its clock is ahead of everybody's; behind, where it is less than 0. Milliseconds. */
  readonly clockAhead?: number
  /** The name of a planted bug, for showing that the observers find what it does. */
  readonly plant?: string
}

export interface ConsumerProcess {
  /** Unlike the id of a process, never given twice; it stands beside everything that the consumer writes into its log. */
  readonly life: number
  /** Resolves when the process announced the word, or has ended. */
  heard(word: string): Promise<void>
  /** The dead-letter channel refuses from now on, or takes letters again. */
  tell(word: 'refuse' | 'accept'): void
  readonly ended: Promise<void>
  readonly isAlive: boolean
  /** Stops it where it stands, or lets it go on. */
  signal(name: 'SIGSTOP' | 'SIGCONT'): void
  kill(): Promise<void>
  stop(): Promise<void>
}

const program = new URL('./consumer.program.ts', import.meta.url)

let lives = 0

export function startConsumer(order: ConsumerOrder): ConsumerProcess {
  const life = ++lives
  const child = fork(program, [JSON.stringify({ ...order, life })], { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  const words = new Set<unknown>()
  child.on('message', (word) => words.add(word))
  const ended = once(child, 'exit').then(() => {})
  return {
    life,
    ended,
    tell: (word) => void child.send(word),
    heard: (word) => (words.has(word) ? Promise.resolve() : Promise.race([ended, announced(child, word)])),
    get isAlive() {
      return child.exitCode === null && child.signalCode === null
    },
    signal: (name) => void child.kill(name),
    async kill() {
      child.kill('SIGKILL')
      await ended
    },
    async stop() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

function announced(child: ChildProcess, word: string): Promise<void> {
  return new Promise((resolve) => {
    child.on('message', (heard) => {
      if (heard === word) resolve()
    })
  })
}

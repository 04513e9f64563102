import type { ServerClock } from './server-clock.ts'
import { ServiceError, sessionLockLost } from './service-error.ts'

/** Who has which session of a queue, and what they left there. */
export interface Sessions {
  isFree(id: string): boolean
  /** Rejects a session that somebody else has. Tells until when it is theirs. */
  accept(id: string, owner: object): number
  until(id: string): number
  renew(id: string): number
  isOwner(id: string, owner: object): boolean
  release(id: string, owner: object): void
  /** All of them end now, though their time is not over. */
  endAll(): void
  state(id: string): Buffer | undefined
  setState(id: string, state: Buffer | undefined): void
  /** After a crash: what somebody had left there. */
  recall(id: string, state: Buffer | undefined): void
}

interface Session {
  owner: object | undefined
  until: number
  state: Buffer | undefined
}

export interface SessionEvents {
  /** Nobody has it any more. */
  ended(id: string): void
  /** Its time was over, and whoever had it did not let go of it. */
  taken(owner: object): void
  stateSet(id: string, state: Buffer | undefined): void
}

export function createSessions(clock: ServerClock, lockDuration: number, events: SessionEvents): Sessions {
  const sessions = new Map<string, Session>()

  function owned(id: string): Session {
    const session = sessions.get(id)
    if (!session?.owner || session.until <= clock.now()) throw sessionLockLost()
    return session
  }

  function end(id: string, session: Session): void {
    session.owner = undefined
    events.ended(id)
  }

  function takeAway(id: string, session: Session, owner: object): void {
    end(id, session)
    events.taken(owner)
  }

  function watch(id: string, session: Session, owner: object): void {
    clock.at(session.until, () => {
      if (session.owner !== owner) return
      if (session.until > clock.now()) watch(id, session, owner)
      else takeAway(id, session, owner)
    })
  }

  const isFree = (id: string): boolean => sessions.get(id)?.owner === undefined

  return {
    isFree,
    accept(id, owner) {
      if (!isFree(id))
        throw new ServiceError(
          'com.microsoft:session-cannot-be-locked',
          `The requested session '${id}' cannot be accepted. It may be locked by another receiver.`,
        )
      const session = sessions.get(id) ?? { owner, until: 0, state: undefined }
      sessions.set(id, session)
      session.owner = owner
      session.until = clock.now() + lockDuration
      watch(id, session, owner)
      return session.until
    },
    until: (id) => sessions.get(id)?.until ?? 0,
    renew(id) {
      const session = owned(id)
      session.until = clock.now() + lockDuration
      return session.until
    },
    isOwner: (id, owner) => sessions.get(id)?.owner === owner,
    release(id, owner) {
      const session = sessions.get(id)
      if (session?.owner === owner) end(id, session)
    },
    endAll() {
      for (const [id, session] of sessions) if (session.owner) takeAway(id, session, session.owner)
    },
    state: (id) => owned(id).state,
    setState(id, state) {
      owned(id).state = state
      events.stateSet(id, state)
    },
    recall(id, state) {
      sessions.set(id, { owner: undefined, until: 0, state })
    },
  }
}

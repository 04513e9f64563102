import type { ClaimedLetter } from '../../vault/operations/claims.ts'
import type { SendOutcome } from '../../vault/operations/outcomes.ts'
import { sendLetter, type TransportNamed } from './send-letter.ts'

/**
 * Letters that were claimed and are on their way. Letters of one key leave one after the other, each when the one before it is confirmed;
 * all others leave at once. When one of a key is not certain to have arrived, those behind it are not sent: they would overtake it.
 */
export interface Flight {
  /** How many have not landed yet. */
  readonly aloft: number
  /** How many have landed and were not taken yet. */
  readonly landed: number
  launch(letters: readonly ClaimedLetter[]): void
  /** What became of those that have landed since it was last asked. Whoever takes it writes it down. */
  take(): readonly SendOutcome[]
  /** Resolves when all of them have landed. */
  allLanded(): Promise<void>
  /** Everything that has landed is written down, and nothing is on its way: no line of a key is held up any more. */
  forget(): void
}

type Fate = SendOutcome['outcome']

export function createFlight(replay: number, transportNamed: TransportNamed, onLanding: () => void): Flight {
  /** By key, what becomes of the last one that left. One that was sent is forgotten; one that was not holds up those to come. */
  const lines = new Map<string, Promise<Fate>>()
  let outcomes: SendOutcome[] = []
  let aloft = 0
  let ground: PromiseWithResolvers<void> | undefined

  function launch(letter: ClaimedLetter): void {
    aloft++
    const line = lineOf(letter)
    const sending = line === undefined ? send(letter) : sendBehind(line, letter)
    void sending.then(land)
  }

  const send = (letter: ClaimedLetter): Promise<SendOutcome> => sendLetter(letter, replay, transportNamed)

  function sendBehind(line: string, letter: ClaimedLetter): Promise<SendOutcome> {
    const ahead = lines.get(line)
    const sending = ahead ? ahead.then((fate) => (fate === 'sent' ? send(letter) : heldUp(letter, fate))) : send(letter)
    const fate = sending.then(({ outcome }) => {
      if (outcome === 'sent' && lines.get(line) === fate) lines.delete(line)
      return outcome
    })
    lines.set(line, fate)
    return sending
  }

  function land(outcome: SendOutcome): void {
    aloft--
    outcomes.push(outcome)
    if (aloft === 0) ground?.resolve()
    onLanding()
  }

  return {
    get aloft() {
      return aloft
    },
    get landed() {
      return outcomes.length
    },
    launch(letters) {
      for (const letter of letters) launch(letter)
    },
    take() {
      const taken = outcomes
      outcomes = []
      return taken
    },
    async allLanded() {
      if (aloft === 0) return
      ground = Promise.withResolvers()
      await ground.promise
    },
    forget: () => lines.clear(),
  }
}

function lineOf({ key, destination }: ClaimedLetter): string | undefined {
  return key === null ? undefined : JSON.stringify([destination, key])
}

/** Nobody was there to take the one before it: both keep their places. Otherwise it is open again. */
function heldUp({ seq, letter }: ClaimedLetter, ahead: Fate): SendOutcome {
  return { seq, letter, outcome: ahead === 'unsent' ? 'unsent' : 'refused', problem: 'behind-unsent' }
}

import { isList } from '../../headers.ts'
import type { HeaderValue } from '../../message.ts'
import { type LetterFields, tableFields } from '../letter-fields.ts'
import { type DialectReader, failureOf } from '../reading.ts'

/**
 * What the broker writes when it dead-letters by itself: one entry for each queue and reason, the newest first. Where retries go round
 * through waiting queues, the first death tells the queue that people know, and the newest one why it is dead now.
 */
export const rabbitmq: DialectReader = {
  name: 'rabbitmq',
  producer: 'RabbitMQ itself',
  confidence: 'certain',
  signs: ['x-death', 'x-first-death-queue', 'x-last-death-queue'],
  headers: ['x-death', 'x-first-death-*', 'x-last-death-*', 'x-delivery-count', 'x-opt-deaths', 'x-acquired-count'],
  read(letter) {
    const deaths = deathsOf(letter)
    const [newest] = deaths
    const first = firstIn(deaths)
    const channel = letter.text('x-first-death-queue') ?? first?.text('queue')
    return failureOf({
      source: { channel, position: letter.text('x-first-death-exchange') ?? first?.text('exchange') },
      reason: newest?.text('reason') ?? letter.text('x-last-death-reason', 'x-first-death-reason'),
      attempts: attemptsIn(deaths, channel, returnsOf(letter)),
      firstSeenAt: first?.time('time'),
      failedAt: onlyTimeOf(newest),
    })
  },
}

/** More entries than these are no topology that anybody built. */
const mostDeaths = 64

function deathsOf(letter: LetterFields): readonly LetterFields[] {
  const list: HeaderValue = letter.value('x-death') ?? []
  if (!isList(list)) return []
  return list.slice(0, mostDeaths).flatMap((death) => tableFields(letter, death) ?? [])
}

/** An entry bears the time of its first death, however many there were; of a later one nobody tells it. */
function onlyTimeOf(death: LetterFields | undefined): number | undefined {
  return (death?.count('count') ?? 1) === 1 ? death?.time('time') : undefined
}

/** The list is by the last death of each. Where the clock of seconds leaves a doubt, what stands further behind is older. */
function firstIn(deaths: readonly LetterFields[]): LetterFields | undefined {
  const timeOf = (death: LetterFields): number => death.time('time') ?? Number.POSITIVE_INFINITY
  return deaths.reduce<LetterFields | undefined>(
    (first, death) => (first === undefined || timeOf(death) <= timeOf(first) ? death : first),
    undefined,
  )
}

/**
 * How often queues had it back. From 4.3 on, where there is a count of acquisitions too, a quorum queue goes on with the count of the one
 * before it; until then it starts anew, and the number is that of the dead-letter queue, where it tells how often somebody looked.
 */
function returnsOf(letter: LetterFields): number | undefined {
  return letter.has('x-acquired-count') ? letter.count('x-delivery-count') : undefined
}

/**
 * Times that a consumer of the source gave it up; a message that expired or had no room was not tried. Death by the delivery limit comes
 * after many tries, and its entry counts one.
 */
function attemptsIn(
  deaths: readonly LetterFields[],
  channel: string | undefined,
  returns: number | undefined,
): number | undefined {
  const here = deaths.filter((death) => death.text('queue') === channel)
  const rejected = countOf('rejected', here)
  const limited = countOf('delivery_limit', here)
  if (limited === undefined) return rejected
  return returns === undefined ? undefined : (rejected ?? 0) + Math.max(limited, returns)
}

function countOf(reason: string, deaths: readonly LetterFields[]): number | undefined {
  const counts = deaths.filter((death) => death.text('reason') === reason).flatMap((death) => death.count('count') ?? [])
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0)
}

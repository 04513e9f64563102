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
    const channel = letter.text('x-first-death-queue') ?? deaths.at(-1)?.text('queue')
    return failureOf({
      source: { channel, position: letter.text('x-first-death-exchange') ?? deaths.at(-1)?.text('exchange') },
      reason: newest?.text('reason') ?? letter.text('x-last-death-reason', 'x-first-death-reason'),
      attempts: attemptsIn(deaths, channel),
      deliveries: letter.count('x-delivery-count'),
      firstSeenAt: deaths.at(-1)?.time('time'),
      failedAt: newest?.time('time'),
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

/** Times that a consumer of the source gave it up. A message that expired or had no room was not tried. */
function attemptsIn(deaths: readonly LetterFields[], channel: string | undefined): number | undefined {
  const tried = deaths.filter((death) => death.text('queue') === channel && triedReasons.has(death.text('reason') ?? ''))
  const counts = tried.flatMap((death) => death.count('count') ?? [])
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0)
}

const triedReasons: ReadonlySet<string> = new Set(['rejected', 'delivery_limit'])

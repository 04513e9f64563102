import { Buffer } from 'node:buffer'
import { PassThrough } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Cancel } from '../../core/ports.ts'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'
import { authenticate } from '../authenticate.ts'
import type { EventFeed, FeedEvent } from '../event-feed.ts'
import { may, type Principal } from '../principal.ts'
import { TryLaterError } from '../problem.ts'
import type { RouteRule } from '../route-rule.ts'

const heartbeat = 15_000
/** What a client that does not read may pile up before it is let go; it comes back and asks for what it missed. */
const mostUnread = 1024 * 1024
const mostForOne = 20

const rule: RouteRule = { need: 'metadata:read', action: 'events.read', audit: 'metadata' }

/** What changes, as it changes: Server-Sent Events, which browsers resume by themselves. They say what to look at again, and hold no payload. */
export function eventRoutes(app: Api, context: Context, feed: EventFeed): void {
  const { clock, sight } = context
  const open = new Map<PassThrough, string>()

  app.addHook('preClose', async () => {
    feed.close()
    for (const stream of open.keys()) stream.end()
  })

  app.get(
    '/events',
    {
      exposeHeadRoute: false,
      config: { rule },
      schema: {
        summary:
          'Live events. `Last-Event-ID` resumes; an event `reset` means that too much was missed: look at everything anew.',
        tags: ['events'],
        // Loose: what is not named here, such as a token, is asked for again while the stream lives.
        headers: z.looseObject({ 'last-event-id': z.string().max(100).optional() }),
        response: {
          200: {
            description: 'A stream of events.',
            content: { 'text/event-stream': { schema: z.unknown().meta({ type: 'string' }) } },
          },
        },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      if ([...open.values()].filter((name) => name === principal.name).length >= mostForOne) {
        throw new TryLaterError(30, `You have ${mostForOne} streams of events open already.`)
      }
      const stream = await openStream(request, principal)
      return reply.header('content-type', 'text/event-stream').header('x-accel-buffering', 'no').send(stream)
    },
  )

  async function openStream(request: FastifyRequest, principal: Principal): Promise<PassThrough> {
    let visible = await sight.sources(principal)
    const stream = new PassThrough()
    const say = (text: string): void => {
      if (stream.writableLength + stream.readableLength > mostUnread) stream.destroy()
      else if (stream.writable) stream.write(text)
    }
    const tell = (event: FeedEvent): void => {
      for (const text of toldTo(visible, event)) say(text)
    }
    const beat = async (): Promise<void> => {
      const known = await authenticate(request, context, 'look')
      // Neither a session that has ended goes on watching, nor somebody who may not look any more.
      if (!known || !may(known, rule.need)) return void stream.end()
      visible = await sight.sources(known)
      say(': here\n\n')
      cancel = beatLater()
    }
    // When nobody can say whether they may go on, they may not; clients come back by themselves.
    const beatLater = (): Cancel => clock.after(heartbeat, () => void beat().catch(() => stream.end()), { background: true })

    say('retry: 3000\n\n')
    say(missed(request.headers['last-event-id'], visible))
    const stop = feed.listen(tell)
    let cancel = beatLater()
    open.set(stream, principal.name)
    stream.once('close', () => {
      stop()
      cancel()
      open.delete(stream)
    })
    request.raw.socket.once('close', () => stream.destroy())
    return stream
  }

  /** More than may pile up is told as a reset: whoever is let go for it would come back and ask for the same. */
  function missed(lastSeen: string | string[] | undefined, visible: ReadonlySet<number> | undefined): string {
    if (typeof lastSeen !== 'string') return ''
    const text = feed
      .since(lastSeen)
      ?.flatMap((event) => toldTo(visible, event))
      .join('')
    if (text !== undefined && Buffer.byteLength(text) <= mostUnread) return text
    return `id: ${feed.latest()}\nevent: reset\ndata: {}\n\n`
  }
}

/**
 * What concerns all sources is for those who were given all of them. Where nobody said whose letters changed, the others hear that it is worth
 * looking again, and no number: it might be that of letters which they may not know of.
 */
function toldTo(visible: ReadonlySet<number> | undefined, event: FeedEvent): readonly string[] {
  const { id, change } = event
  if (!visible) return [written(event)]
  if (change.kind === 'reset') return [written(event)]
  if (change.kind !== 'letters') return []
  if (change.source === undefined) return [written({ id, change: { kind: 'letters', letters: 0 } })]
  return visible.has(change.source) ? [written(event)] : []
}

/** JSON has no line breaks, so that no data can look like a field of the protocol. */
function written({ id, change }: FeedEvent): string {
  const { kind, ...data } = change
  return `id: ${id}\nevent: ${kind}\ndata: ${JSON.stringify(data)}\n\n`
}

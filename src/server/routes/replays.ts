import { z } from 'zod'
import { ledgerStates } from '../../core/canary.ts'
import { RedriveError } from '../../core/errors.ts'
import type { ReplayMaker, ReplayWishes } from '../../ops/control-plane.ts'
import type { Preview, Wishes } from '../../ops/replay/plan-replay.ts'
import { replayStates } from '../../vault/replay-rows.ts'
import type { Api, Context } from '../api.ts'
import { principalOf } from '../api.ts'
import { cursorOf, idPosition, pageFields, pageQuery, positionOf } from '../cursor.ts'
import type { Principal } from '../principal.ts'
import { type RequestedWishes, requestedWishes, wishesOf } from '../replay-wishes.ts'
import type { RouteRule } from '../route-rule.ts'
import { count, counted, idParams, ledgerCounts, selection, shownDestination, time } from '../schemas.ts'

const reading: RouteRule = { need: 'metadata:read', action: 'replays.read', audit: 'metadata' }
const making: RouteRule = {
  need: 'replays:make',
  action: 'replays.seal',
  audit: 'write',
  noted: ['name', 'selection', 'rate', 'destination', 'toOrigin', 'edits'],
}

const plan = z.object({
  rate: z.number(),
  canary: z.object({ first: z.number(), growth: z.number(), tolerated: z.number() }).nullable(),
  observe: z.number(),
})

const replay = z.object({
  id: z.int(),
  name: z.string(),
  actor: z.string(),
  madeAt: time,
  state: z.enum(replayStates),
  stateSince: time,
  stoppedBecause: z.string().nullable(),
  seal: z.string(),
  plan,
  letters: count,
  startsAt: time.nullable().describe('When it is to be started, or was; null where nobody gave it a time.'),
  scheduledBy: z.string().nullable(),
})

const detail = z.object({ replay, counts: ledgerCounts })

const reach = z
  .object({
    channels: z.array(z.string()),
    doubt: z.string().optional().describe('Why there may be others than these; absent where these are all.'),
  })
  .describe('Who would get what goes by way of an exchange, by what is bound to it now.')

const preview = z.object({
  plan,
  letters: count,
  before: z.int().describe('Of a selection by filter, so that sealing it takes no letter that came later.'),
  destinations: z
    .array(z.object({ destination: shownDestination, letters: count, reach: reach.optional() }))
    .describe('Those of the most letters, a hundred at most.'),
  destinationsInAll: count,
  refused: count,
  refusals: z.array(z.object({ letter: z.int(), because: z.string() })).describe('The first hundred.'),
  edited: count.describe(
    'How many of those that would be sent were edited. They go as edited where `edits` of the seal says so.',
  ),
})

const edits = z
  .union([
    z.array(z.strictObject({ letter: z.int().min(1), edit: z.int().min(1) })).max(10_000),
    z.literal('newest').describe('The newest edit of each letter that has one.'),
    z.literal('none').describe('All go as they died, as where nothing is said.'),
  ])
  .optional()

/** Sending letters back: looked at first, then sealed, then started, perhaps by somebody else. */
export function replayRoutes(app: Api, { controlPlane, sight, needsSecondPersonAbove }: Context): void {
  const { replays } = controlPlane

  app.post(
    '/replays/preview',
    {
      config: { rule: { ...making, action: 'replays.preview', audit: 'metadata' } },
      schema: {
        summary: 'What a replay would do. Nothing is written.',
        tags: ['replays'],
        body: z.strictObject({ selection, ...requestedWishes() }),
        response: { 200: preview },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      const wishes = allowedWishes(principal, request.body)
      return shownPreview(await replays.preview(await sight.selection(principal, request.body.selection), wishes))
    },
  )

  app.post(
    '/replays',
    {
      config: { rule: making },
      schema: {
        summary: 'Freezes a replay: these letters, changed so, sent there, at this rate. It sends nothing before it is started.',
        tags: ['replays'],
        body: z.strictObject({
          name: z.string().min(1).max(200),
          selection,
          ...requestedWishes(),
          edits,
        }),
        response: { 201: detail },
      },
    },
    async (request, reply) => {
      const principal = principalOf(request)
      const { name } = request.body
      const wanted = wantedEdits(request.body.edits)
      if (wanted && !principal.rights.has('letters:edit')) {
        throw new RedriveError('not-allowed', 'Sending edits needs the right letters:edit.')
      }
      const sealed = await replays.seal(await sight.selection(principal, request.body.selection), {
        ...allowedWishes(principal, request.body),
        name,
        actor: principal.name,
        ...(wanted && { edits: wanted }),
      })
      return reply.code(201).send(sealed)
    },
  )

  app.get(
    '/replays',
    {
      config: { rule: reading },
      schema: {
        summary: 'Replays, the newest first.',
        tags: ['replays'],
        querystring: pageQuery,
        response: { 200: z.object({ replays: z.array(replay), next: z.string().optional() }) },
      },
    },
    async (request) => {
      const { limit, cursor } = request.query
      const before = positionOf(cursor, idPosition)
      const of = makerFor(principalOf(request))
      const found = await replays.list({ limit, ...(before !== undefined && { before }), ...(of && { of }) })
      const last = found.at(-1)
      return {
        replays: [...found],
        ...(found.length === limit && last && { next: cursorOf(last.id) }),
      }
    },
  )

  app.get(
    '/replays/:id',
    {
      config: { rule: reading },
      schema: {
        summary: 'One replay, and what became of its letters.',
        tags: ['replays'],
        params: idParams,
        response: { 200: detail },
      },
    },
    async (request) => visibleReplay(principalOf(request), request.params.id),
  )

  app.get(
    '/replays/:id/ledger',
    {
      config: { rule: reading },
      schema: {
        summary: 'What became of each letter, in the order of the plan.',
        tags: ['replays'],
        params: idParams,
        querystring: z.object({ ...pageFields(), state: z.enum(ledgerStates).optional() }),
        response: {
          200: z.object({
            lines: z.array(
              z.object({
                seq: z.int(),
                letter: z.int(),
                state: z.enum(ledgerStates),
                destination: shownDestination,
                at: time,
                sentAt: time.nullable(),
                problem: z.string().nullable(),
                letterState: z.string(),
              }),
            ),
            next: z.string().optional(),
          }),
        },
      },
    },
    async (request) => {
      const { id } = request.params
      const { limit, cursor, state } = request.query
      await visibleReplay(principalOf(request), id)
      const after = positionOf(cursor, z.int().min(0)) ?? -1
      const lines = await replays.ledger({ replay: id, limit, after, ...(state && { state }) })
      const last = lines.at(-1)
      return { lines: [...lines], ...(lines.length === limit && last && { next: cursorOf(last.seq) }) }
    },
  )

  app.post(
    '/replays/:id/schedule',
    {
      config: { rule: { need: 'replays:start', action: 'replays.schedule', audit: 'write', noted: ['at'] } },
      schema: {
        summary: 'Gives a sealed replay the time at which it is started, or another one. It needs whoever could start it now.',
        tags: ['replays'],
        params: idParams,
        body: z.strictObject({ at: z.int().min(0).max(Number.MAX_SAFE_INTEGER).describe('Epoch milliseconds.') }),
        response: { 200: detail },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      const { id } = request.params
      const { replay: known } = await visibleReplay(principal, id)
      if (known.letters > needsSecondPersonAbove) refuseOwnApproval(principal, known.actor)
      return replays.schedule(id, { at: request.body.at, actor: principal.name })
    },
  )

  for (const verb of ['start', 'pause', 'resume', 'cancel'] as const) {
    app.post(
      `/replays/:id/${verb}`,
      {
        config: {
          rule: { need: verb === 'start' ? 'replays:start' : 'replays:make', action: `replays.${verb}`, audit: 'write' },
        },
        schema: { summary: `Tells a replay to ${verb}.`, tags: ['replays'], params: idParams, response: { 200: detail } },
      },
      async (request) => {
        const principal = principalOf(request)
        const { id } = request.params
        const known = await visibleReplay(principal, id)
        if (verb === 'start' && known.replay.letters > needsSecondPersonAbove) refuseOwnApproval(principal, known.replay.actor)
        return replays[verb](id, { actor: principal.name })
      },
    )
  }

  app.post(
    '/letters/decide-unknown',
    {
      config: { rule: { need: 'replays:make', action: 'letters.decide-unknown', audit: 'write', noted: ['letters', 'verdict'] } },
      schema: {
        summary: 'Somebody looked at letters of which nobody knows whether they were sent, and says what they are.',
        tags: ['letters'],
        body: z.strictObject({
          letters: z.array(z.int().min(1)).min(1).max(10_000),
          verdict: z.enum(['open', 'assumed']),
        }),
        response: { 200: counted },
      },
    },
    async (request) => {
      const principal = principalOf(request)
      const { letters, verdict } = request.body
      await sight.selection(principal, { letters })
      return replays.decideUnknown(letters, verdict, { actor: principal.name })
    },
  )

  /** A replay may hold letters of any source; whoever was given some of them sees those that they made of what is theirs now. */
  async function visibleReplay(principal: Principal, id: number): Promise<z.output<typeof detail>> {
    const known = await replays.show(id)
    const of = makerFor(principal)
    if (of && !(await replays.isWithinReach(id, of))) {
      throw new RedriveError('not-allowed', `Replay ${id} was made by somebody else, or with sources that you were not given.`)
    }
    return known
  }
}

function wantedEdits(requested: z.output<typeof edits>): ReplayWishes['edits'] {
  if (requested === undefined || requested === 'none') return undefined
  return requested === 'newest' ? requested : new Map(requested.map(({ letter, edit }) => [letter, edit]))
}

function makerFor({ seesAll, name, scopes }: Principal): ReplayMaker | undefined {
  return seesAll ? undefined : { actor: name, scopes }
}

/** Where letters go is as much a matter of rights as where they come from. */
function allowedWishes(principal: Principal, requested: RequestedWishes): Wishes {
  const { destination: elsewhere, toOrigin } = requested
  if (toOrigin && !principal.seesAll) {
    throw new RedriveError('not-allowed', 'An exchange may reach any queue, and you were given some sources: leave out toOrigin.')
  }
  if (elsewhere && !principal.sees(elsewhere)) {
    throw new RedriveError('not-allowed', `You were not given ${elsewhere.connection}/${elsewhere.channel}.`)
  }
  return wishesOf(requested)
}

function refuseOwnApproval(principal: Principal, maker: string): void {
  if (principal.rights.has('replays:approve') && principal.name !== maker) return
  throw new RedriveError('not-allowed', 'This replay has to be started by a second person with the right replays:approve.')
}

type Shown = z.output<typeof preview>

function shownPreview({ destinations, refusals, ...rest }: Preview): Shown {
  return { ...rest, destinations: destinations.map(shownPlanned), refusals: [...refusals] }
}

function shownPlanned({ reach: reached, ...planned }: Preview['destinations'][number]): Shown['destinations'][number] {
  return { ...planned, ...(reached && { reach: { ...reached, channels: [...reached.channels] } }) }
}

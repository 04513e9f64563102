import type { SourceTrend } from '../../ops/alerts/source-trends.ts'
import type {
  CauseDetail,
  Causes,
  ControlPlane,
  ReplayDetail,
  Replays,
  ReplayWishes,
  SourceStatus,
  TraceEvent,
} from '../../ops/control-plane.ts'
import type { SourceFinding } from '../../ops/source-findings.ts'
import type { HttpClient } from './http-client.ts'
import { remoteAlerts } from './remote-alerts.ts'
import { remoteConsumers } from './remote-consumers.ts'
import { cursorOf, partsOf, positionOf, remoteLetters } from './remote-letters.ts'

type Cause = CauseDetail['cause']
type Wishes = Parameters<Replays['preview']>[1]

const page = 200

/** The interface of the control plane by way of a server, which decides who may do what and names the actor itself. */
export function remotePlane(http: HttpClient): ControlPlane {
  return {
    letters: remoteLetters(http),
    causes: remoteCauses(http),
    replays: remoteReplays(http),
    consumers: remoteConsumers(http),
    alerts: remoteAlerts(http),
    async sources() {
      const { sources } = await http.get<{ sources: (SourceStatus['source'] & Omit<SourceStatus, 'source'>)[] }>('/sources')
      return sources.map(({ mode, onBroker, unresolved, isAtLeast, oldestAt, loss, reading, ...source }) => ({
        source,
        mode,
        onBroker,
        unresolved,
        isAtLeast,
        ...(oldestAt !== undefined && { oldestAt }),
        ...(loss && { loss }),
        ...(reading && { reading }),
      }))
    },
    async trends({ count, step }) {
      const hours = Math.ceil((count * step) / 3_600_000)
      return (await http.get<{ sources: SourceTrend[] }>('/sources/trends', { hours })).sources
    },
    findings: async () => (await http.get<{ findings: SourceFinding[] }>('/sources/findings')).findings,
    conservation: () => http.get('/conservation'),
    trace: async (correlationId) => (await http.get<{ events: TraceEvent[] }>('/trace', { correlationId })).events,
    onChange: () => () => {},
    close: async () => {},
  }
}

function remoteCauses(http: HttpClient): Causes {
  return {
    async list({ state, limit, after, filter }) {
      const query = { state, filter, limit: Math.min(limit, page), cursor: cursorOf(after) }
      const { causes, next } = await http.get<{ causes: Cause[]; next?: string }>('/causes', query)
      const position = positionOf<{ lastAt: number; id: number }>(next)
      return { causes, ...(position && { next: position }) }
    },
    show: (id) => http.get(`/causes/${id}`),
    judge: (id, { state, fixedIn }) =>
      http.send('PUT', `/causes/${id}/judgement`, { state, ...(fixedIn !== undefined && { fixedIn }) }),
    own: (id, { owner }) => http.send('PUT', `/causes/${id}/owner`, { owner }),
    note: (id, text) => http.send('POST', `/causes/${id}/notes`, { text }),
    merge: (id, { causes, reason }) => http.send('POST', `/causes/${id}/merge`, { causes, reason }),
    split: (id, { rule, title, reason }) =>
      http.send('POST', `/causes/${id}/split`, { rule, reason, ...(title !== undefined && { title }) }),
    undo: (decision, { reason }) => http.send('POST', `/cause-decisions/${decision}/undo`, { reason }),
    decision: (id) => http.get(`/cause-decisions/${id}`),
  }
}

function remoteReplays(http: HttpClient): Replays {
  const tell = (verb: string) => (id: number) => http.send<ReplayDetail>('POST', `/replays/${id}/${verb}`)
  return {
    preview: (selection, wishes) => http.send('POST', '/replays/preview', { selection, ...requested(wishes) }),
    seal: (selection, { name, edits, ...wishes }) =>
      http.send('POST', '/replays', {
        name,
        selection,
        ...requested(wishes),
        ...requestedEdits(edits),
      }),
    start: tell('start'),
    schedule: (id, { at }) => http.send('POST', `/replays/${id}/schedule`, { at }),
    pause: tell('pause'),
    resume: tell('resume'),
    cancel: tell('cancel'),
    show: (id) => http.get(`/replays/${id}`),
    async list({ limit, before }) {
      const query = { limit: Math.min(limit, page), cursor: cursorOf(before) }
      return (await http.get<{ replays: ReplayDetail['replay'][] }>('/replays', query)).replays
    },
    // A server shows nobody a replay that is not.
    isWithinReach: async () => true,
    async ledger({ replay, state, after, limit }) {
      const query = { state, limit: Math.min(limit, page), cursor: after < 0 ? undefined : cursorOf(after) }
      return (await http.get<{ lines: Awaited<ReturnType<Replays['ledger']>> }>(`/replays/${replay}/ledger`, query)).lines
    },
    async decideUnknown(letters, verdict) {
      let decided = 0
      for (const part of partsOf({ letters })) {
        decided += (await http.send<{ letters: number }>('POST', '/letters/decide-unknown', { ...part, verdict })).letters
      }
      return { letters: decided }
    },
  }
}

function requestedEdits(edits: ReplayWishes['edits']): object {
  if (edits === 'newest') return { edits }
  return edits && edits.size > 0 ? { edits: [...edits].map(([letter, edit]) => ({ letter, edit })) } : {}
}

function requested({ rate, canary, observe, destination, toOrigin }: Wishes): object {
  return { rate, canary: canary ?? null, observe, ...(destination && { destination }), ...(toOrigin && { toOrigin }) }
}

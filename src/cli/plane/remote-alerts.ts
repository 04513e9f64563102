import type { Alerts } from '../../ops/control-plane.ts'
import type { HttpClient } from './http-client.ts'
import { cursorOf } from './remote-letters.ts'

type Answer<Name extends keyof Alerts> = Awaited<ReturnType<Alerts[Name]>>

const page = 200

export function remoteAlerts(http: HttpClient): Alerts {
  const at = (fingerprint: string, verb: string): string => `/alerts/${encodeURIComponent(fingerprint)}/${verb}`
  return {
    list: async ({ which, limit }) =>
      (await http.get<{ alerts: Answer<'list'> }>('/alerts', { which, limit: Math.min(limit, 1000) })).alerts,
    show: (fingerprint) => http.get(`/alerts/${encodeURIComponent(fingerprint)}`),
    acknowledge: (fingerprint, { until }) => http.send('POST', at(fingerprint, 'acknowledge'), { until }),
    unacknowledge: (fingerprint) => http.send('POST', at(fingerprint, 'unacknowledge')),
    snooze: (fingerprint, { until }) => http.send('POST', at(fingerprint, 'snooze'), { until }),
    unsnooze: (fingerprint) => http.send('POST', at(fingerprint, 'unsnooze')),
    silences: async () => (await http.get<{ silences: Answer<'silences'> }>('/silences')).silences,
    silence: ({ actor: _, ...silence }) => http.send('POST', '/silences', silence),
    extendSilence: (id, { endsAt }) => http.send('POST', `/silences/${id}/extend`, { endsAt }),
    endSilence: (id) => http.send('POST', `/silences/${id}/end`),
    rules: async () => (await http.get<{ rules: Answer<'rules'> }>('/rules')).rules,
    testRule: ({ rule, changes, since }) => http.send('POST', `/rules/${encodeURIComponent(rule)}/test`, { ...changes, since }),
    deliveries: async ({ state, sink, limit, before }) => {
      const query = { state, sink, limit: Math.min(limit, page), cursor: cursorOf(before) }
      return (await http.get<{ deliveries: Answer<'deliveries'> }>('/deliveries', query)).deliveries
    },
    redeliver: (id) => http.send('POST', `/deliveries/${id}/redeliver`),
  }
}

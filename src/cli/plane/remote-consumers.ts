import { RedriveError } from '../../core/errors.ts'
import type { ConsumerStatus, Consumers } from '../../ops/control-plane.ts'
import type { HttpClient } from './http-client.ts'

const page = 200

export function remoteConsumers(http: HttpClient): Consumers {
  return {
    report: () => Promise.reject(new RedriveError('unsupported', 'Only consumers report, with a token of their own.')),
    async list() {
      const consumers: ConsumerStatus[] = []
      for (let cursor: string | undefined; ; ) {
        const found: { consumers: ConsumerStatus[]; next?: string } = await http.get('/consumers', { limit: page, cursor })
        consumers.push(...found.consumers)
        cursor = found.next
        if (cursor === undefined) return consumers
      }
    },
    pause: ({ service, channel }) => http.send('POST', '/consumers/pause', { service, channel }),
    resume: ({ service, channel }) => http.send('POST', '/consumers/resume', { service, channel }),
    forget: (id) => http.send('POST', `/consumers/${id}/forget`),
  }
}

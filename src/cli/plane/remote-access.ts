import { RedriveError } from '../../core/errors.ts'
import type { Access, AuditReading, NotedRow, Users, WithLink } from '../../ops/access/access.ts'
import type { HttpClient } from './http-client.ts'
import { cursorOf, positionOf } from './remote-letters.ts'

type User = Awaited<ReturnType<Users['list']>>[number]

const page = 200

/** By way of a server, which asks for the rights `audit:read` and `users:manage`. */
export function remoteAccess(http: HttpClient, address: string): Access {
  const here = ({ user, link }: WithLink): WithLink => ({ user, link: `${address}${link}` })
  return {
    audit: remoteAudit(http),
    tokens: { list: onlyPeople, create: onlyPeople, revoke: onlyPeople },
    users: {
      list: async () => (await http.get<{ users: User[] }>('/users')).users,
      create: async (wanted) => here(await http.send('POST', '/users', wanted)),
      async change(id, change) {
        const etag = await http.etagOf(`/users/${id}`)
        return http.send('PATCH', `/users/${id}`, change, { 'if-match': etag })
      },
      link: async (id) => here(await http.send('POST', `/users/${id}/link`)),
    },
  }
}

function remoteAudit(http: HttpClient): AuditReading {
  return {
    async list({ limit, before }) {
      const query = { limit: Math.min(limit, page), cursor: cursorOf(before) }
      const { rows, next } = await http.get<{ rows: NotedRow[]; next?: string }>('/audit', query)
      const position = positionOf<number>(next)
      return { rows, ...(position !== undefined && { next: position }) }
    },
    verify: (expected) => http.get('/audit/verification', { ...expected }),
  }
}

/** A token that makes tokens would never end. */
function onlyPeople(): Promise<never> {
  const told =
    'A server gives tokens to people who signed in, not to programs with a token: sign in there, or work on the file of the vault, with --vault.'
  return Promise.reject(new RedriveError('unsupported', told))
}

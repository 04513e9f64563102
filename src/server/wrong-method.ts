import type { HTTPMethods } from 'fastify'
import { RedriveError } from '../core/errors.ts'
import type { Api } from './api.ts'
import type { ListedRoute } from './route-rule.ts'

/** An address that is there answers 405 to a method that it does not know, and says which it does. */
export function addWrongMethods(app: Api, routes: readonly ListedRoute[]): void {
  for (const [url, taken] of Map.groupBy(routes, (route) => route.url)) {
    const allowed = taken.map(({ method }) => method)
    const method = (app.supportedMethods as readonly HTTPMethods[]).filter((name) => !allowed.includes(name))
    app.route({
      method,
      url,
      config: { rule: { need: 'nothing', action: 'wrong-method', audit: 'metadata' } },
      schema: { hide: true },
      // Before a body is read: what nobody asked for need not be understood.
      onRequest: async (request, reply) => {
        void reply.header('allow', [...new Set(allowed)].sort().join(', '))
        throw new RedriveError('wrong-method', `${request.method} is not a method of this address.`)
      },
      handler: () => undefined,
    })
  }
}

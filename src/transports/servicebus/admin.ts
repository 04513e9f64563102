import type { ServiceBusAdministrationClient } from '@azure/service-bus'
import type { Library } from './library.ts'
import type { Settings } from './options.ts'

type Policy = Parameters<ServiceBusAdministrationClient['pipeline']['addPolicy']>[0]

/** The SDK always asks the endpoint of the namespace over TLS; an endpoint of its own is put in its place. */
export function createAdmin({ sdk }: Library, { access, adminEndpoint }: Settings): ServiceBusAdministrationClient {
  // One attempt: whoever asks says whether to ask again.
  const options = { retryOptions: { maxRetries: 0 } }
  const { ServiceBusAdministrationClient: Client } = sdk
  const client =
    'connectionString' in access
      ? new Client(access.connectionString, options)
      : new Client(access.namespace, access.credential, options)
  client.pipeline.addPolicy(askAgain)
  if (adminEndpoint !== undefined) client.pipeline.addPolicy(elsewhere(adminEndpoint), { afterPhase: 'Sign' })
  return client
}

/** A kept connection may be closed while a question is on its way on it; what only asks may be asked again, on another one. */
const askAgain: Policy = {
  name: 'redrive-kept-connections',
  async sendRequest(request, next) {
    try {
      return await next(request)
    } catch (error) {
      if (request.method !== 'GET' || (error as { code?: unknown }).code !== 'ECONNRESET') throw error
      return next(request)
    }
  },
}

function elsewhere(endpoint: string): Policy {
  return {
    name: 'redrive-admin-endpoint',
    sendRequest(request, next) {
      const { pathname, search } = new URL(request.url)
      request.url = `${endpoint}${pathname}${search}`
      request.allowInsecureConnection = endpoint.startsWith('http:')
      return next(request)
    },
  }
}

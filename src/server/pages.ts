import staticFiles from '@fastify/static'
import type { FastifyReply } from 'fastify'
import { RedriveError } from '../core/errors.ts'
import type { Api } from './api.ts'
import type { RouteRule } from './route-rule.ts'

/** Anybody may have the program; what it shows comes from the API, which asks who they are. */
const rule: RouteRule = { need: 'nothing', action: 'pages.read', audit: 'metadata' }

/** The same as for everything else, and no text becomes code in the page either: whoever tries is stopped by the browser. */
const policy = [
  "default-src 'self'",
  "object-src 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "form-action 'self'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join(';')

/** Their names hold a hash of what is in them. */
const forever = 'public, max-age=31536000, immutable'
const plainName = /^[\w-]+(?:\.[\w-]+)+$/

/** The dashboard: files that are built once, and one page that finds its way by the address. */
export async function addPages(app: Api, folder: string): Promise<void> {
  await app.register(staticFiles, { root: folder, serve: false, preCompressed: true, cacheControl: false, index: false })

  app.get<{ Params: { readonly '*': string } }>('/assets/*', { config: { rule }, schema: { hide: true } }, (request, reply) => {
    const name = request.params['*']
    if (!plainName.test(name)) throw nothingThere()
    return reply.header('cache-control', forever).sendFile(`assets/${name}`)
  })

  app.get('/favicon.svg', { config: { rule }, schema: { hide: true } }, (_request, reply) => reply.sendFile('favicon.svg'))

  const page = (reply: FastifyReply): FastifyReply => reply.header('content-security-policy', policy).sendFile('index.html')
  app.get('/', { config: { rule }, schema: { hide: true } }, (_request, reply) => page(reply))
  app.get<{ Params: { readonly '*': string } }>('/*', { config: { rule }, schema: { hide: true } }, (request, reply) => {
    if (request.params['*'].startsWith('api/')) throw nothingThere()
    return page(reply)
  })
}

function nothingThere(): RedriveError {
  return new RedriveError('not-found', 'There is nothing at this address.')
}

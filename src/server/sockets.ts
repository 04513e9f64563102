import type { Socket } from 'node:net'
import Fastify, { type FastifyReply, type FastifyRequest } from 'fastify'
import type { Api } from './api.ts'
import { isTheProxy } from './binding.ts'
import { type Problem, problem, problemOf, TryLaterError } from './problem.ts'
import type { ServerOptions } from './server.ts'

const mostBody = 1024 * 1024
const mostHeaders = 16 * 1024
/** A request that has not said all its headers, or all of it, by then is not waited for. */
const headersTimeout = 10_000
const requestTimeout = 60_000

/** The bare server: how much it takes, for how long it waits, and how it says no. */
export function createSockets(
  options: Required<Pick<ServerOptions, 'onProblem' | 'behindProxy'>> & Pick<ServerOptions, 'tls'>,
): Api {
  const { tls, behindProxy, onProblem } = options
  const http = { maxHeaderSize: mostHeaders, headersTimeout, connectionsCheckingInterval: 1000 }
  const app = Fastify({
    ...(tls ? { https: { ...tls, ...http } } : { http }),
    bodyLimit: mostBody,
    // How long a part of an address may be is said by the schema of its route; nothing longer than all headers comes this far.
    routerOptions: { maxParamLength: mostHeaders },
    requestTimeout,
    trustProxy: behindProxy ? isTheProxy : false,
    forceCloseConnections: true,
    clientErrorHandler: refuseSocket,
    frameworkErrors: (error: unknown, _request: FastifyRequest, reply: FastifyReply) => void answer(reply, problemOf(error)),
  } as object) as unknown as Api
  app.removeAllContentTypeParsers()
  const parse = app.getDefaultJsonParser('error', 'error')
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request, body, done) =>
    body.length === 0 ? done(null, undefined) : void parse(request, String(body), done),
  )
  app.setNotFoundHandler((_request, reply) => answer(reply, problem('not-found', 'There is nothing at this address.')))
  app.setErrorHandler((error, _request, reply) => {
    const told = problemOf(error)
    if (told.code === 'internal' || told.code === 'audit-failed') onProblem(error)
    if (error instanceof TryLaterError) void reply.header('retry-after', String(error.seconds))
    if (told.status === 401) void reply.header('www-authenticate', 'Bearer')
    return answer(reply, told)
  })
  return app
}

function answer(reply: FastifyReply, told: Problem): FastifyReply {
  return reply.code(told.status).header('content-type', 'application/problem+json; charset=utf-8').send(told)
}

const statusOfSocketError: Readonly<Record<string, readonly [status: number, phrase: string]>> = {
  HPE_HEADER_OVERFLOW: [431, 'Request Header Fields Too Large'],
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'Request Timeout'],
}

/** What never became a request gets an answer too, where there is somebody to hear it. */
function refuseSocket(error: NodeJS.ErrnoException, socket: Socket): void {
  if (error.code === 'ECONNRESET' || !socket.writable) return void socket.destroy()
  const [status, phrase] = statusOfSocketError[error.code ?? ''] ?? [400, 'Bad Request']
  const body = JSON.stringify({ ...problem('bad-request', phrase), status })
  socket.end(
    `HTTP/1.1 ${status} ${phrase}\r\nContent-Type: application/problem+json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`,
  )
}

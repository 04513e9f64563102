import { hash } from 'node:crypto'
import type { FastifyReply } from 'fastify'

const style = `body{font:1rem/1.5 system-ui,sans-serif;max-width:24rem;margin:4rem auto;padding:0 1rem;color-scheme:light dark}
input,button{font:inherit;display:block;width:100%;box-sizing:border-box;margin:.25rem 0 1rem;padding:.5rem}
[role=alert]{border-left:.25rem solid #c00;padding-left:.75rem}`

/** Nothing runs, nothing is loaded, and forms go to this server alone. */
const policy = `default-src 'none'; style-src 'sha256-${hash('sha256', style, 'base64')}'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'`

/** A page without scripts, so that it works in any browser and whatever else is or is not installed. `content` is HTML. */
export function showPage(reply: FastifyReply, status: number, content: string): FastifyReply {
  return (
    reply
      .code(status)
      .header('content-type', 'text/html; charset=utf-8')
      .header('content-security-policy', policy)
      // With no-referrer, browsers would send a form with the origin "null". What stands in the address stays out of it.
      .header('referrer-policy', 'strict-origin')
      .send(
        `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">` +
          `<title>Redrive</title><style>${style}</style><main><h1>Redrive</h1>${content}</main></html>`,
      )
  )
}

import { z } from 'zod'
import { RedriveError } from '../../core/errors.ts'
import type { Api, Context } from '../api.ts'
import { createDoor } from '../door.ts'
import { escapeHtml } from '../escape-html.ts'
import { showPage } from '../plain-page.ts'
import { statusOfCode, TryLaterError } from '../problem.ts'

const form = z.strictObject({
  token: z.string().max(100),
  password: z.string().max(1024),
  again: z.string().max(1024),
})

/** Where a one-time link leads: a page on which somebody sets their password. */
export function setupPage(app: Api, context: Context): void {
  const door = createDoor(context)

  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
    done(null, Object.fromEntries(new URLSearchParams(String(body)))),
  )

  app.get(
    '/setup',
    {
      config: { rule: { need: 'nothing', action: 'setup.read', audit: 'metadata' } },
      schema: { hide: true, querystring: z.object({ token: z.string().max(100).default('') }) },
    },
    async (request, reply) => showPage(reply, 200, formOf(request.query.token)),
  )

  app.post(
    '/setup',
    { config: { rule: { need: 'nothing', action: 'setup.redeem', audit: 'own' } }, schema: { hide: true, body: form } },
    async (request, reply) => {
      const { token, password, again } = request.body
      try {
        if (password !== again) throw new RedriveError('weak-password', 'The two passwords are not the same.')
        const { name } = await door.redeem({ token, password }, request, reply)
        return showPage(reply, 200, welcome(name, app.hasRoute({ method: 'GET', url: '/' })))
      } catch (error) {
        if (!(error instanceof RedriveError)) throw error
        if (error instanceof TryLaterError) void reply.header('retry-after', String(error.seconds))
        return showPage(reply, statusOfCode[error.code], formOf(token, error.message))
      }
    },
  )
}

function formOf(token: string, problem?: string): string {
  const told = problem === undefined ? '' : `<p role="alert">${escapeHtml(problem)}</p>`
  const field = (name: string, label: string): string =>
    `<label>${label}<input type="password" name="${name}" autocomplete="new-password" minlength="8" maxlength="256" required></label>`
  return `${told}<form method="post" action="/setup"><input type="hidden" name="token" value="${escapeHtml(token)}">
${field('password', 'Your new password, of 8 characters or more')}${field('again', 'The same once more')}
<button>Set the password and sign in</button></form>`
}

function welcome(name: string, hasDashboard: boolean): string {
  const onward = hasDashboard
    ? '<p><a href="/">Go to the dashboard</a></p>'
    : '<p>Go on in the terminal, or with <a href="/api/v1/openapi.json">the HTTP API</a>.</p>'
  return `<p>The password is set, and you are signed in as <strong>${escapeHtml(name)}</strong>.</p>${onward}`
}

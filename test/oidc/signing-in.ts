import { expect } from 'vitest'
import { api } from '../server/server.fixture.ts'
import type { Page, UserAgent } from './user-agent.ts'

/** What somebody does who signs in: the button, the forms of the issuer, and back. */
export async function signIn(
  agent: UserAgent,
  address: string,
  subject: string,
  returnTo = '/letters?filter=state%3Aopen',
): Promise<Page> {
  const first = await agent.open(await beginAt(agent, address, returnTo))
  const consent = await agent.submit(first, { prompt: 'login', login: subject, password: 'any' })
  return consent.text.includes('name="prompt"') ? agent.submit(consent, { prompt: 'consent' }) : consent
}

/** The address of the issuer that the button leads to. */
export async function beginAt(agent: UserAgent, address: string, returnTo = '/'): Promise<string> {
  const begun = await agent.ask('POST', `${address}${api}/session/oidc`, { returnTo })
  expect(begun.status).toBe(200)
  return ((await begun.json()) as { url: string }).url
}

export async function whoIs(agent: UserAgent, address: string): Promise<Record<string, unknown>> {
  return (await (await agent.ask('GET', `${address}${api}/session`)).json()) as Record<string, unknown>
}

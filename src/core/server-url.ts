import { RedriveError } from './errors.ts'

const loopback: ReadonlySet<string> = new Set(['localhost', '127.0.0.1', '[::1]'])

/** By the name of it: what a name leads to is not looked up. */
export function isOnThisMachine(hostname: string): boolean {
  return loopback.has(hostname)
}

/** The address of the API of a control plane. A token is as good as a password: it does not go over a network in the clear. */
export function apiOf(address: string, where: string): string {
  const url = URL.parse(address)
  if (!url || !['http:', 'https:'].includes(url.protocol) || url.username !== '' || url.password !== '') {
    throw new RedriveError('bad-option', `${where} needs a URL such as https://redrive.example.`)
  }
  if (url.protocol === 'http:' && !isOnThisMachine(url.hostname)) {
    throw new RedriveError('bad-option', `${where} needs https: the token would go over the network in the clear.`)
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}/api/v1`
}

import { RedriveError } from '../core/errors.ts'

/** Cookies have an end. */
const longest = 1000

/** A place on this server where somebody wants to go after they came in, and never one on another. */
export function pathWithin(wanted: string): string {
  const here = 'http://here.invalid'
  const url = URL.parse(wanted, here)
  // Browsers read a backslash as a slash, and two slashes as the beginning of a host.
  const isPath = /^\/(?![/\\])/.test(wanted) && url?.origin === here
  const path = url && `${url.pathname}${url.search}${url.hash}`
  if (isPath && path && !path.startsWith('//') && path.length <= longest) return path
  throw new RedriveError('bad-request', `returnTo: a path on this server, of at most ${longest} characters, such as /letters.`)
}

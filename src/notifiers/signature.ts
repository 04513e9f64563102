import { createHmac } from 'node:crypto'

/**
 * What lets a receiver know that a post is ours, and new: HMAC-SHA256 over the time in seconds since 1970, a dot and the body. A post that somebody
 * kept has an old time, and with another time the signature does not fit any more.
 */
export function signatureHeaders(body: string, secret: string, now: number): Readonly<Record<string, string>> {
  const seconds = String(Math.floor(now / 1000))
  const hmac = createHmac('sha256', secret).update(`${seconds}.${body}`).digest('hex')
  return { 'redrive-timestamp': seconds, 'redrive-signature': `v1=${hmac}` }
}

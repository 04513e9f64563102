import { RedriveError } from '../../core/errors.ts'

/** What we use of the client library. */
export type RedisLibrary = Pick<typeof import('ioredis'), 'Redis'>

/** Loaded on first use, so that nobody needs it who does not use Redis. */
export async function loadIoredis(): Promise<RedisLibrary> {
  try {
    return await import('ioredis')
  } catch (cause) {
    throw new RedriveError('missing-library', 'Redis needs the package ioredis. Install it with: npm install ioredis@6', {
      cause,
    })
  }
}

import { RedriveError } from '../core/errors.ts'

export type OpenidClient = typeof import('openid-client')

/** Loaded on first use, so that nobody needs it who signs in with passwords. */
export async function loadOpenidClient(): Promise<OpenidClient> {
  try {
    return await import('openid-client')
  } catch (cause) {
    throw new RedriveError(
      'missing-library',
      'Signing in with OpenID Connect needs the package openid-client. Install it with: npm install openid-client@6',
      { cause },
    )
  }
}

import type { Secrets } from '../../ops/access/access-in.ts'
import { drawSecret, drawSecurely, drawToken, fingerprintOf, setupPath } from '../../server/secrets.ts'

/** As the server draws and keeps them. */
export const secrets: Secrets = {
  drawToken: () => drawToken(drawSecurely),
  drawLink: () => drawSecret(drawSecurely),
  fingerprintOf,
  setupPath,
}

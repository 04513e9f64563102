import { RedriveError } from '../../core/errors.ts'
import { newUuid } from '../../platform/chance.ts'
import type { Terminal } from '../terminal.ts'
import type { Desk, PlaneOptions } from './desk.ts'
import { createHttpClient } from './http-client.ts'
import { remoteAccess } from './remote-access.ts'
import { remotePlane } from './remote-plane.ts'

/** Works by way of a server, which collects, runs the replays, and knows by the token who asks. */
export function serverDesk(url: string, { token: given, connection }: PlaneOptions, terminal: Terminal): Desk {
  const token = given ?? terminal.environment['REDRIVE_TOKEN']
  if (!token) throw new RedriveError('bad-option', 'Say who you are: REDRIVE_TOKEN in the environment, or --token.')
  if (connection) throw new RedriveError('bad-option', '--connection is for a vault file: a server has connections of its own.')
  const http = createHttpClient({ url, token, newId: newUuid })
  return {
    plane: remotePlane(http),
    access: remoteAccess(http, url.replace(/\/+$/, '')),
    terminal,
    by: { actor: '' },
    async prepareToRun() {},
    close: async () => {},
  }
}

/** The server ends the connection: whether it had committed before is not known. */
const endings = /^(57P0[123]|08|25P03)/

/** Five characters that only the server gives; errors of sockets have longer codes. */
export function stateOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | undefined)?.code
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) && code !== 'EPIPE' ? code : undefined
}

/** Nobody answers any more on this connection. */
export function isEnding(state: string | undefined): boolean {
  return state === undefined || endings.test(state)
}

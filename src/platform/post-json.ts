import type { PostJson } from '../core/ports.ts'

/** More than any honest answer has. */
const mostAnswer = 256 * 1024

export const postJson: PostJson = async (url, { token, body, signal }) => {
  const response = await fetch(url, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body,
    signal,
    // A token goes to the server that it was meant for, and to no other.
    redirect: 'error',
  })
  return { status: response.status, json: parsed(await textOf(response)) }
}

/** `undefined` when there is more than that: an answer that never ends must not fill the memory. */
async function textOf({ body }: Response): Promise<string | undefined> {
  const chunks: Uint8Array[] = []
  let size = 0
  for await (const chunk of body ?? []) {
    size += chunk.byteLength
    if (size > mostAnswer) return undefined
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

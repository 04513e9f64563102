import { statfs } from 'node:fs/promises'

/** The share of the disk that is free for us, from 0 to 1. */
export async function freeShareOf(folder: string): Promise<number> {
  const { bavail, blocks } = await statfs(folder)
  return blocks === 0 ? 0 : bavail / blocks
}

import { RedriveError } from '../../core/errors.ts'
import { isServerUrl } from '../../core/vault-place.ts'
import { shownVault } from '../open-vault.ts'
import { copyVault } from './copy-vault.ts'
import type { CopyNews, CopyOutcome } from './outcome.ts'
import type { CopySource, CopyTarget } from './place.ts'

/** Copies from one place to another, each the url of a server or the path of a file. */
export async function copyBetween(from: string, to: string, onNews: (news: CopyNews) => void): Promise<CopyOutcome> {
  if (shownVault(from) === shownVault(to)) throw new RedriveError('bad-option', 'The source and the target are the same vault.')
  const source = await sourceAt(from)
  try {
    const target = await targetAt(to)
    return await copyVault(source, target, onNews).finally(() => target.close())
  } finally {
    await source.close()
  }
}

async function sourceAt(place: string): Promise<CopySource> {
  if (isServerUrl(place)) return (await import('../postgres/copy-places.ts')).serverSource(place)
  return (await import('../sqlite/copy-places.ts')).fileSource(place)
}

async function targetAt(place: string): Promise<CopyTarget> {
  if (isServerUrl(place)) return (await import('../postgres/copy-places.ts')).serverTarget(place)
  return (await import('../sqlite/copy-places.ts')).fileTarget(place)
}

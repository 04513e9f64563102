import type { LetterDetail } from '../../ops/control-plane.ts'

/** A dead-letter channel with what tells it from others of its name. */
export function channelOf({ channel, part, group }: Omit<LetterDetail['source'], 'id' | 'connection'>): string {
  const apart = [part, group === '' ? '' : `group ${group}`].filter((text) => text !== '')
  return apart.length === 0 ? channel : `${channel} (${apart.join(', ')})`
}

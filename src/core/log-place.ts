/** A record of a log, by where it stands. */
export interface LogPlace {
  readonly partition: number
  readonly offset: bigint
}

/** On a log a position ends in its partition and its offset, such as `orders/3/42`; any other position is no place on a log. */
export function logPlaceOf(position: string | undefined): LogPlace | undefined {
  const [, partition, offset] = /\/(\d{1,9})\/(\d{1,19})$/.exec(position ?? '') ?? []
  return partition === undefined || offset === undefined ? undefined : { partition: Number(partition), offset: BigInt(offset) }
}

/** One partition of one topic. */
export interface Place {
  readonly topic: string
  readonly partition: number
}

export interface GroupMember {
  readonly id: string
  readonly topics: readonly string[]
  /** What it says that it has. */
  readonly owned: readonly Place[]
  /** The generation in which it got that: of two who claim one partition, the later one is right. */
  readonly generation: number
}

/**
 * Who reads what: as evenly as can be, moving as little as can be. A partition that is to move is first given to nobody, so that the
 * one who has it can say what it did with it; it then joins again, and the next round gives the partition away.
 */
export function assign(
  members: readonly GroupMember[],
  partitionsOf: (topic: string) => number,
): ReadonlyMap<string, readonly Place[]> {
  const sorted = [...members].sort((one, other) => (one.id < other.id ? -1 : 1))
  const owners = ownersOf(sorted)
  const given = new Map<string, Place[]>(sorted.map(({ id }) => [id, []]))
  const topics = [...new Set(sorted.flatMap((member) => member.topics))].sort()
  for (const topic of topics) {
    const readers = sorted.filter((member) => member.topics.includes(topic)).map(({ id }) => id)
    for (const [id, places] of shareOut(topic, partitionsOf(topic), readers, owners, given)) given.get(id)?.push(...places)
  }
  return new Map([...given].map(([id, places]) => [id, places.filter((place) => mayHave(id, place, owners))]))
}

function mayHave(id: string, place: Place, owners: ReadonlyMap<string, string>): boolean {
  const owner = owners.get(placeName(place))
  return owner === undefined || owner === id
}

export function placeName({ topic, partition }: Place): string {
  return `${topic}/${partition}`
}

function ownersOf(members: readonly GroupMember[]): ReadonlyMap<string, string> {
  const owners = new Map<string, string>()
  const byGeneration = [...members].sort((one, other) => one.generation - other.generation)
  for (const { id, owned } of byGeneration) for (const place of owned) owners.set(placeName(place), id)
  return owners
}

/** Each reader keeps what it has up to its share; what is over goes to whoever has the least. */
function shareOut(
  topic: string,
  count: number,
  readers: readonly string[],
  owners: ReadonlyMap<string, string>,
  given: ReadonlyMap<string, readonly Place[]>,
): ReadonlyMap<string, readonly Place[]> {
  const shares = new Map<string, Place[]>(readers.map((id) => [id, []]))
  const places = Array.from({ length: count }, (_, partition): Place => ({ topic, partition }))
  const least = Math.floor(count / readers.length)
  let larger = count % readers.length
  const left: Place[] = []
  for (const place of places) {
    const share = shares.get(owners.get(placeName(place)) ?? '')
    if (share && share.length < least) share.push(place)
    else if (share && share.length === least && larger > 0) {
      larger--
      share.push(place)
    } else left.push(place)
  }
  const load = (id: string): number => (given.get(id)?.length ?? 0) + (shares.get(id)?.length ?? 0)
  for (const place of left) {
    const [id = ''] = [...readers].sort((one, other) => sizeOf(shares, one) - sizeOf(shares, other) || load(one) - load(other))
    shares.get(id)?.push(place)
  }
  return shares
}

function sizeOf(shares: ReadonlyMap<string, readonly Place[]>, id: string): number {
  return shares.get(id)?.length ?? 0
}

/** What one of several control planes sees of what is shared out. */
export interface Division {
  /** How many there are to be had. */
  readonly shares: number
  /** How many each of those that are there has; ours is among them. */
  readonly members: ReadonlyMap<string, number>
  readonly me: string
}

export interface Move {
  /** How many more it may take, of those that nobody has. */
  readonly take: number
  readonly giveBack: number
}

/**
 * In the end nobody has two more than anybody else. What everybody is certain to have is taken at once, and one more by whoever has least; of those who
 * have most, the first gives back, so that not all of them do it for one who has just come.
 */
export function fairMove({ shares, members, me }: Division): Move {
  const mine = members.get(me) ?? 0
  const certain = Math.floor(shares / members.size)
  const least = Math.min(...members.values())
  const tooMany = Math.max(0, mine - Math.ceil(shares / members.size))
  const isFirstToGive = mine > certain && mine > least + 1 && me === firstOfMost(members)
  return {
    take: Math.max(0, certain - mine, mine <= least ? 1 : 0),
    giveBack: Math.max(tooMany, isFirstToGive ? 1 : 0),
  }
}

function firstOfMost(members: ReadonlyMap<string, number>): string | undefined {
  const most = Math.max(...members.values())
  return [...members].flatMap(([member, held]) => (held === most ? [member] : [])).toSorted()[0]
}

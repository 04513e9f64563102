import type { Selection } from '../../api/letters.ts'
import type { Preview, SealedEdits, Wishes } from '../../api/replays.ts'

/** What is to be sent, as the address says it. */
export interface Wanted {
  readonly selection: Selection
  /** The edit that goes instead of a letter. */
  readonly edit: { readonly letter: number; readonly edit: number } | undefined
}

export function wantedOf(search: string): Wanted | undefined {
  const query = new URLSearchParams(search)
  const filter = query.get('filter')
  if (filter !== null) return { selection: { filter }, edit: undefined }
  const letters = (query.get('letters') ?? '')
    .split(',')
    .map(Number)
    .filter((id) => Number.isInteger(id) && id > 0)
  const [letter] = letters
  if (letter === undefined) return undefined
  const edit = Number(query.get('edit'))
  return { selection: { letters }, edit: letters.length === 1 && edit > 0 ? { letter, edit } : undefined }
}

/** One place for all letters. */
export interface Elsewhere {
  readonly connection: string
  readonly channel: string
}

/** The limits as a person sets them. */
export interface Limits {
  readonly rate: number
  readonly isCareful: boolean
  readonly first: number
  readonly growth: number
  /** Of a hundred. */
  readonly tolerated: number
  /** Seconds. */
  readonly observe: number
}

export const careful: Limits = { rate: 50, isCareful: true, first: 1, growth: 5, tolerated: 0, observe: 60 }

export function wishesOf(selection: Selection, limits: Limits, elsewhere?: Elsewhere): Wishes {
  const { rate, isCareful, first, growth, tolerated, observe } = limits
  return {
    selection,
    rate,
    canary: isCareful ? { first, growth, tolerated: tolerated / 100 } : null,
    observe: Math.round(observe * 1000),
    ...(elsewhere && { destination: elsewhere }),
  }
}

/** What goes of letters that somebody has edited. An edit that the plan did not count was not shown, and does not go. */
export function editsOf(edit: Wanted['edit'], plan: Preview | undefined, sendsOriginals: boolean): SealedEdits {
  if (edit) return [edit]
  return plan !== undefined && plan.edited > 0 && !sendsOriginals ? 'newest' : 'none'
}

/** What came while somebody read the plan was not in it. */
export function asPlanned(selection: Selection, plan: Preview | undefined): Selection {
  return 'filter' in selection && plan ? { ...selection, before: plan.before } : selection
}

/** What is wrong with the limits, in a sentence. */
export function mistakeIn({ rate, isCareful, first, growth, tolerated, observe }: Limits): string | undefined {
  if (!(rate > 0 && rate <= 100_000)) return 'The rate is more than 0 and at most 100,000 letters a second.'
  if (!(observe >= 0 && observe <= 86_400)) return 'A letter is watched for 0 to 86,400 seconds.'
  if (!isCareful) return undefined
  if (!(Number.isInteger(first) && first >= 1)) return 'At least 1 letter goes first.'
  if (!(growth > 1 && growth <= 1000)) return 'Each step is more than 1 and at most 1,000 times as large.'
  if (!(tolerated >= 0 && tolerated <= 100)) return 'From 0 to 100 of a hundred may come back.'
  return undefined
}

/** The first few steps of a canary: how many will have been sent in all after each. */
export function stepsOf({ first, growth }: Pick<Limits, 'first' | 'growth'>, letters: number, most = 5): readonly number[] {
  const steps: number[] = []
  for (let end = first; steps.length < most && end < letters; end += Math.max(1, Math.ceil(end * (growth - 1)))) steps.push(end)
  return [...steps, letters].slice(0, most)
}

export const refusalWords: Readonly<Record<string, string>> = {
  'not-open': 'on their way, settled or discarded',
  'no-origin': 'nobody wrote down where they came from: send them elsewhere, or name returnTo of their source in redrive.yaml',
  'no-route': 'nobody wrote down by which exchange they were published, or their broker has none',
  'copy-out-of-reach':
    'the broker still has them, on a connection that is not configured: sent from here, they would be there twice',
}

export function refusalCounts({ refusals }: Preview): readonly (readonly [because: string, letters: readonly number[]])[] {
  const groups = Map.groupBy(refusals, ({ because }) => because)
  return [...groups].map(([because, all]) => [refusalWords[because] ?? because, all.map(({ letter }) => letter)] as const)
}

import { cutToBytes } from './cut.ts'

/** A run that failed, as it is told later: by a retry to the next turn, and by a letter to whoever looks into it. */
export interface FailedRun {
  /** The turn that it belonged to. */
  readonly attempt: number
  /** Epoch milliseconds. */
  readonly at: number
  readonly errorType: string
  /** Sanitised. */
  readonly description: string
}

/** How it began and how it ended tell more than what lies between. Together they stay below 3 KiB. */
const firstKept = 2
const lastKept = 8
const longestType = 40
const longestDescription = 120

/** The runs so far with one more; of many, the first and the last ones. */
export function withFailedRun(runs: readonly FailedRun[], run: FailedRun): readonly FailedRun[] {
  const all = [...runs, shortened(run)]
  return all.length <= firstKept + lastKept ? all : [...all.slice(0, firstKept), ...all.slice(-lastKept)]
}

function shortened({ attempt, at, errorType, description }: FailedRun): FailedRun {
  return {
    attempt,
    at,
    errorType: cutToBytes(errorType, longestType),
    description: cutToBytes(description, longestDescription),
  }
}

/** As the value of a header: text, which every broker carries. */
export function failedRunsText(runs: readonly FailedRun[]): string {
  return JSON.stringify(runs.map(({ attempt, at, errorType, description }) => [attempt, at, errorType, description]))
}

/** What the text tells; nothing where somebody else wrote it, or only a part of it is there. */
export function failedRunsIn(text: string | undefined): readonly FailedRun[] {
  const told = parsed(text)
  const runs = Array.isArray(told) ? told.map(failedRunIn) : []
  return runs.includes(undefined) ? [] : runs.filter((run) => run !== undefined).slice(-(firstKept + lastKept))
}

function failedRunIn(told: unknown): FailedRun | undefined {
  if (!Array.isArray(told)) return undefined
  const [attempt, at, errorType, description] = told as unknown[]
  if (!isCount(attempt) || !isCount(at) || typeof errorType !== 'string' || typeof description !== 'string') return undefined
  return shortened({ attempt, at, errorType, description })
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0
}

function parsed(text: string | undefined): unknown {
  try {
    return text === undefined ? undefined : JSON.parse(text)
  } catch {
    return undefined
  }
}

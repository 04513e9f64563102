/** A row of docs/requirements.md, or a case of docs/security.md: what was asked for, and what shows that it is there. */
export interface Requirement {
  readonly id: string
  readonly text: string
  readonly tests: readonly TestName[]
  /** Whether the row says in words what is missing, or why it is otherwise. */
  readonly saysWhatIsMissing: boolean
}

export interface TestName {
  readonly file: string
  /** Exactly as the test runner shows it, with or without the names of its groups. */
  readonly name: string
}

const row = /^\| (S\d{3}-\d{2}|C\d{2}) \| (.*?) \| ?(.*?) ?\|$/gm
const test = /^`([^`]+\.test\.ts)` › (.+)$/
const gap = /^(?:Not built yet \([^)]+\)|Built, no test yet|Decided otherwise|A matter of operation)/

export function readRequirements(page: string): readonly Requirement[] {
  return [...page.matchAll(row)].map(([, id = '', text = '', evidence = '']) => {
    const parts = evidence.split('<br>')
    return {
      id,
      text,
      tests: parts.flatMap((part) => {
        const [, file, name] = test.exec(part) ?? []
        return file !== undefined && name !== undefined ? [{ file, name }] : []
      }),
      saysWhatIsMissing: parts.some((part) => gap.test(part)),
    }
  })
}

/** `existing`: the full names of all tests of a file. */
export function requirementFindings(
  requirements: readonly Requirement[],
  existing: (file: string) => readonly string[],
): readonly string[] {
  return [...numbering(requirements), ...evidenceFindings(requirements, existing)]
}

/** The cases are numbered from 1 on, and none may be lost. */
export function caseFindings(
  cases: readonly Requirement[],
  last: number,
  existing: (file: string) => readonly string[],
): readonly string[] {
  const ids = cases.map(({ id }) => id)
  const wanted = Array.from({ length: last }, (_, index) => `C${String(index + 1).padStart(2, '0')}`)
  const lost = wanted.filter((id) => !ids.includes(id)).map((id) => `${id} has no row.`)
  return [...lost, ...evidenceFindings(cases, existing)]
}

function evidenceFindings(
  requirements: readonly Requirement[],
  existing: (file: string) => readonly string[],
): readonly string[] {
  return [
    ...requirements.filter(isUnshown).map(({ id }) => `${id} names no test and does not say what is missing.`),
    ...requirements.flatMap(({ id, tests }) =>
      tests
        .filter(({ file, name }) => !existing(file).some((full) => isNamed(full, name) || isWithoutBroker(full)))
        .map(({ file, name }) => `${id} names a test that does not exist: "${name}" in ${file}.`),
    ),
  ]
}

function isNamed(full: string, name: string): boolean {
  return full === name || full.endsWith(` > ${name}`)
}

/** Where a broker cannot be had, its tests cannot be listed either; in CI, where they can, the names are checked. */
function isWithoutBroker(full: string): boolean {
  return full.startsWith('NOT RUN: ')
}

function isUnshown({ tests, saysWhatIsMissing }: Requirement): boolean {
  return tests.length === 0 && !saysWhatIsMissing
}

/** Numbers without gaps, so that no row can be lost unseen, and all five seeds. */
function numbering(requirements: readonly Requirement[]): readonly string[] {
  const bySeed = Map.groupBy(requirements, ({ id }) => id.slice(0, 4))
  return ['S000', 'S001', 'S002', 'S003', 'S004'].flatMap((seed) => {
    const ids = (bySeed.get(seed) ?? []).map(({ id }) => id)
    if (ids.length === 0) return [`${seed} has no rows.`]
    const wanted = ids.map((_, index) => `${seed}-${String(index + 1).padStart(2, '0')}`)
    const wrong = ids.findIndex((id, index) => id !== wanted[index])
    return wrong < 0 ? [] : [`${wanted[wrong]} is missing or out of order.`]
  })
}

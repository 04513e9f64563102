import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, relative } from 'node:path'
import { describe, expect, it } from 'vitest'
import { run } from '../run.ts'
import { caseFindings, readRequirements, requirementFindings } from './requirements.ts'

/** Asks the test runner itself, so that names made from tables are known as they are shown. Nothing is run, so that files may share a process. */
async function listTests(files: readonly string[]): Promise<(file: string) => readonly string[]> {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-requirements-'))
  try {
    const report = join(folder, 'tests.json')
    const { code, output } = await run('vitest', ['list', ...files, '--no-static-parse', '--no-isolate', `--json=${report}`], {
      env: { REDRIVE_LIST_TESTS: '1' },
    })
    if (code !== 0) throw new Error(`The tests cannot be listed:\n${output}`)
    const tests = JSON.parse(readFileSync(report, 'utf8')) as readonly { readonly name: string; readonly file: string }[]
    const byFile = Map.groupBy(tests, ({ file }) => relative(process.cwd(), file))
    return (file) => (byFile.get(file) ?? []).map(({ name }) => name)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

describe('docs/requirements.md', () => {
  it('names only tests that exist, and says of every other requirement what is missing', { timeout: 600_000 }, async () => {
    const requirements = readRequirements(readFileSync('docs/requirements.md', 'utf8'))
    const files = new Set(requirements.flatMap(({ tests }) => tests.map(({ file }) => file)))
    expect(requirementFindings(requirements, await listTests([...files]))).toEqual([])
  })
})

describe('docs/security.md', () => {
  it('names for every case only tests that exist, or says what is missing', { timeout: 600_000 }, async () => {
    const cases = readRequirements(readFileSync('docs/security.md', 'utf8'))
    const files = new Set(cases.flatMap(({ tests }) => tests.map(({ file }) => file)))
    expect(caseFindings(cases, 60, await listTests([...files]))).toEqual([])
  })

  it('planted bug: a case that was lost and a test that does not exist are found', () => {
    const cases = readRequirements('| C02 | x | `a.test.ts` › works |')
    expect(caseFindings(cases, 2, () => [])).toEqual([
      'C01 has no row.',
      'C02 names a test that does not exist: "works" in a.test.ts.',
    ])
  })
})

describe('the check of requirements', () => {
  const others = ['S001', 'S002', 'S003', 'S004'].map((seed) => `| ${seed}-01 | x | Not built yet (RabbitMQ) |`).join('\n')
  const findings = (rows: string): readonly string[] =>
    requirementFindings(readRequirements(`${rows}\n${others}`), (file) => (file === 'a.test.ts' ? ['group > it works'] : []))

  it('is content with a test that exists, with or without the name of its group', () => {
    expect(findings('| S000-01 | x | `a.test.ts` › it works<br>`a.test.ts` › group > it works |')).toEqual([])
  })

  it('catches a test that does not exist', () => {
    expect(findings('| S000-01 | x | `a.test.ts` › works |')).toEqual([
      'S000-01 names a test that does not exist: "works" in a.test.ts.',
    ])
  })

  it('catches a row that shows nothing and admits nothing', () => {
    expect(findings('| S000-01 | x | |')).toEqual(['S000-01 names no test and does not say what is missing.'])
    expect(findings('| S000-01 | x | soon |')).toHaveLength(1)
  })

  it('catches a row that was lost, and a seed that was', () => {
    expect(findings('| S000-02 | x | Not built yet (RabbitMQ) |')).toEqual(['S000-01 is missing or out of order.'])
    expect(findings('')).toEqual(['S000 has no rows.'])
  })
})

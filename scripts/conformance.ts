/**
 * Runs the conformance suite without a test runner: `npm run conformance -- memory embedded [--json]`. Without names it runs
 * every transport that has a subject. Ends with a status other than 0 when a sentence fails or a capability is missing.
 * `--twins` prints which planted mistakes each scenario catches, and runs nothing.
 */
import { existsSync, readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { allScenarios } from '../src/transports/conformance/all-scenarios.ts'
import { catchTable, conforms, examine, type TransportReport, table } from '../src/transports/conformance/report.ts'
import type { Subject } from '../src/transports/conformance/subject.ts'

const transports = new URL('../src/transports/', import.meta.url)
const subjectOf = (name: string): URL => new URL(`${name}/conformance-subject.ts`, transports)

function known(): string[] {
  return readdirSync(transports).filter((name) => existsSync(subjectOf(name)))
}

async function examineByName(name: string): Promise<TransportReport> {
  const { subject }: { subject: () => Subject | Promise<Subject> } = await import(subjectOf(name).href)
  return examine(await subject(), allScenarios)
}

async function run(names: readonly string[], json: boolean): Promise<number> {
  const unknown = names.filter((name) => !known().includes(name))
  if (unknown.length > 0) {
    console.error(`There is no conformance subject for ${unknown.join(', ')}; there is one for ${known().join(', ')}.`)
    return 2
  }
  const reports: TransportReport[] = []
  for (const name of names) reports.push(await examineByName(name))
  console.log(json ? JSON.stringify(reports) : table(reports))
  return reports.every(conforms) ? 0 : 1
}

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, twins: { type: 'boolean', default: false } },
})
if (values.twins) console.log(catchTable(allScenarios))
else process.exitCode = await run(positionals.length > 0 ? positionals : known(), values.json)

/**
 * Runs the conformance suite without a test runner: `npm run conformance -- memory embedded [--json]`. Without names it runs
 * every transport that has a subject. Ends with a status other than 0 when a sentence fails or a capability is missing.
 * `--write` records the outcome for the matrix in the README; `npm run docs` then writes it there.
 * `--twins` prints which planted mistakes each scenario catches, and runs nothing.
 */
import { existsSync, readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { allScenarios } from '../src/transports/conformance/all-scenarios.ts'
import { catchTable, conforms, examine, type TransportReport, table } from '../src/transports/conformance/report.ts'
import type { Subject } from '../src/transports/conformance/subject.ts'
import { readRecord, recorded, writeRecord } from './checks/conformance-record.ts'

const transports = new URL('../src/transports/', import.meta.url)
/** A transport without a broker has one subject; one with a broker has a subject for each version and setting. */
const subjectOf = (name: string): URL => new URL(`${name}/conformance-subject.ts`, transports)
const subjectsOf = (name: string): URL => new URL(`../test/brokers/${name}-subjects.ts`, import.meta.url)
const notRun: string[] = []

function known(): string[] {
  return readdirSync(transports).filter((name) => existsSync(subjectOf(name)) || existsSync(subjectsOf(name)))
}

/** Gives each report to `done` as soon as it is there: a run over all brokers is long. */
async function examineByName(name: string, done: (report: TransportReport) => void): Promise<TransportReport[]> {
  if (existsSync(subjectOf(name))) {
    const { subject }: { subject: () => Subject | Promise<Subject> } = await import(subjectOf(name).href)
    return [await examineOne(await subject(), done)]
  }
  const { subjects }: { subjects: () => AsyncIterable<Subject | { notRun: string }> } = await import(subjectsOf(name).href)
  const reports: TransportReport[] = []
  for await (const subject of subjects()) {
    if ('notRun' in subject) notRun.push(subject.notRun)
    else reports.push(await examineOne(subject, done))
  }
  return reports
}

async function examineOne(subject: Subject, done: (report: TransportReport) => void): Promise<TransportReport> {
  const report = await examine(subject, allScenarios)
  done(report)
  return report
}

async function run(names: readonly string[], { json, write }: { json: boolean; write: boolean }): Promise<number> {
  const unknown = names.filter((name) => !known().includes(name))
  if (unknown.length > 0) {
    console.error(`There is no conformance subject for ${unknown.join(', ')}; there is one for ${known().join(', ')}.`)
    return 2
  }
  const reports: TransportReport[] = []
  const record = (report: TransportReport): void => {
    if (write) writeRecord(recorded(readRecord(), [report], new Date()))
  }
  for (const name of names) reports.push(...(await examineByName(name, record)))
  console.log(json ? JSON.stringify(reports) : table(reports))
  for (const line of notRun) console.error(line)
  return reports.every(conforms) ? 0 : 1
}

const usage = `npm run conformance -- <transport>… [--json] [--write] [--twins]

  transports: ${known().join(', ')}; without names, all of them
  --json      the reports, as JSON
  --write     records the outcome for the matrix in the README
  --twins     which planted mistakes each scenario catches; runs nothing

Ends with 1 when a sentence fails or a capability is missing, and with 2 when there is no such transport or option.`

function given(): ReturnType<typeof parsed> {
  try {
    return parsed()
  } catch (error) {
    if (!(error instanceof TypeError)) throw error
    console.error(`${error.message}\n\n${usage}`)
    return process.exit(2)
  }
}

const parsed = () =>
  parseArgs({
    allowPositionals: true,
    options: {
      json: { type: 'boolean', default: false },
      write: { type: 'boolean', default: false },
      twins: { type: 'boolean', default: false },
      help: { type: 'boolean', short: 'h', default: false },
    },
  })

const { values, positionals } = given()
if (values.twins) console.log(catchTable(allScenarios))
else if (values.help) console.log(usage)
else process.exitCode = await run(positionals.length > 0 ? positionals : known(), values)

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { exitOnSignals } from './brokers/process.ts'
import { run } from './run.ts'
import { findSchemathesis, installSchemathesis } from './schemathesis/install.ts'
import { plantBugs } from './schemathesis/planted.ts'
import { openSubject, type Subject } from './schemathesis/subject.ts'
import { wholeNumber } from './whole-number.ts'

exitOnSignals()
const install = 'npm run schemathesis -- install'
const document = 'openapi.json'
const configuration = fileURLToPath(new URL('schemathesis/schemathesis.toml', import.meta.url))
/**
 * Not asked: whether everything that fits a schema is taken. A cursor, a filter and an ETag are more than their schemas say, and the server
 * says 400, 412 and 428 about them.
 */
const checks = [
  'not_a_server_error',
  'status_code_conformance',
  'content_type_conformance',
  'response_headers_conformance',
  'response_schema_conformance',
  'negative_data_rejection',
  'unsupported_method',
  'allow_header_conformance',
  'ignored_auth',
]
const usage = `npm run schemathesis -- [install] [--examples N] [--seed S]

Requests that the OpenAPI document allows, and requests that it forbids, against the real server with the token of an admin: no 5xx, and no answer
that the document does not describe. \`install\` only gets Schemathesis, into a Python environment of its own.`

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    examples: { type: 'string', default: '5' },
    seed: { type: 'string', default: '1' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) console.log(usage)
else if (positionals[0] === 'install') await installSchemathesis()
else await attack()

async function attack(): Promise<void> {
  const python = findSchemathesis()
  if (python === undefined) return notRun()
  const subject = await openSubject()
  const folder = mkdtempSync(join(tmpdir(), 'redrive-schemathesis-'))
  try {
    writeFileSync(join(folder, document), JSON.stringify(await documentOf(subject)))
    // It keeps notes about what it found wherever it is started.
    const { code, output } = await run(python, argumentsFor(join(folder, document), subject), { show: true, folder })
    const [, operations = '0'] = /Tested: (\d+)/.exec(output) ?? []
    for (const problem of subject.problems) console.log(`inside the server: ${problem}`)
    const found = await foundBugs(python, folder, subject)
    console.log(found ? 'Both planted bugs were found.' : 'PLANTED BUGS WERE NOT FOUND: this run shows nothing.')
    const failed = (code === 0 ? 0 : 1) + subject.problems.length + (found ? 0 : 1)
    report(failed === 0 ? Number(operations) + 1 : 0, failed)
  } finally {
    await subject.close()
    rmSync(folder, { recursive: true })
  }
}

/** The twin: the same run in front of a server that lies must say so. */
async function foundBugs(python: string, folder: string, subject: Subject): Promise<boolean> {
  const planted = await plantBugs(subject.address)
  try {
    const only = planted.paths.flatMap((path) => ['--include-path', path])
    const told = argumentsFor(join(folder, document), { ...subject, address: planted.address })
    const { code, output } = await run(python, [...told, ...only], { folder })
    return code !== 0 && output.includes('Response violates schema') && output.includes('Server error')
  } finally {
    await planted.close()
  }
}

async function documentOf({ address, token }: Subject): Promise<unknown> {
  const answer = await fetch(`${address}/api/v1/openapi.json`, { headers: { authorization: `Bearer ${token}` } })
  return withoutTuples(await answer.json(), false)
}

/**
 * Schemathesis 4.32 rewrites a tuple of an answer in the words of an older draft, which its validator then refuses. So there a tuple is told as a
 * list of its length; everything else is as the server gives it.
 */
function withoutTuples(value: unknown, isAnswer: boolean): unknown {
  if (Array.isArray(value)) return value.map((item) => withoutTuples(item, isAnswer))
  if (typeof value !== 'object' || value === null) return value
  const { prefixItems, items, ...rest } = value as { readonly prefixItems?: unknown; readonly items?: unknown }
  const whole = prefixItems === undefined || !isAnswer ? value : rest
  return Object.fromEntries(
    Object.entries(whole).map(([name, inner]) => [name, withoutTuples(inner, isAnswer || name === 'responses')]),
  )
}

/** On a person's machine it is told and no failure; in CI nobody would have shown it. */
function notRun(): void {
  console.log(`NOT RUN: Schemathesis over the OpenAPI document. Get it with: ${install} (needs Python 3.10 or later)`)
  report(0, process.env['CI'] ? 1 : 0)
}

function report(passed: number, failed: number): void {
  console.log(`${passed} passed, ${failed} failed`)
  process.exitCode = failed === 0 ? 0 : 1
}

/** One worker: Hypothesis is not safe with several on every Python, and the order of requests is part of what a seed repeats. */
function argumentsFor(file: string, { address, token }: Subject): string[] {
  const options = {
    url: address,
    header: `Authorization: Bearer ${token}`,
    checks: checks.join(),
    phases: 'examples,coverage,fuzzing',
    'max-examples': String(wholeNumber('examples', values.examples, 1)),
    seed: String(wholeNumber('seed', values.seed, 0)),
    'generation-database': 'none',
    'suppress-health-check': 'all',
    'request-timeout': '30',
    warnings: 'off',
    // A stream has no end to wait for; its own tests are in test/server/events.test.ts.
    'exclude-path': '/api/v1/events',
  }
  const named = Object.entries(options).flatMap(([name, value]) => [`--${name}`, value])
  return ['-m', 'schemathesis.cli', '--config-file', configuration, 'run', file, ...named, '--no-color']
}

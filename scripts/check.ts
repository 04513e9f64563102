import { rmSync } from 'node:fs'
import { importDirectionFindings } from './checks/import-direction.ts'
import { sourceFiles } from './checks/source-files.ts'
import { type RunResult, run } from './run.ts'

interface Check {
  readonly name: string
  readonly run: () => Promise<RunResult>
}

const checks: readonly Check[] = [
  { name: 'format and lint', run: () => run('biome', ['check', '.', '--error-on-warnings']) },
  { name: 'types', run: () => run('tsc', ['-p', '.']) },
  { name: 'types of the dashboard', run: () => run('tsc', ['-p', 'web']) },
  { name: 'import direction', run: importDirection },
  { name: 'dead code', run: () => run('knip', ['--no-progress']) },
  { name: 'build', run: build },
  { name: 'package exports', run: () => run('publint', ['--strict']) },
  { name: 'package types', run: () => run('attw', ['--pack', '.', '--profile', 'esm-only', '--no-emoji', '--quiet']) },
]

async function importDirection(): Promise<RunResult> {
  const findings = importDirectionFindings([...sourceFiles('src'), ...sourceFiles('web/src'), ...sourceFiles('web/src', '.tsx')])
  return { code: findings.length === 0 ? 0 : 1, output: findings.join('\n') }
}

async function build(): Promise<RunResult> {
  rmSync('dist', { recursive: true, force: true })
  return run('tsc', ['-p', 'tsconfig.build.json'])
}

/** Everything is checked even when something fails: a person wants to see all that is wrong at once. */
let failed = 0
for (const check of checks) {
  const { code, output } = await check.run()
  console.log(`${code === 0 ? 'ok  ' : 'FAIL'} ${check.name}`)
  if (code !== 0) {
    failed++
    console.log(output.replace(/^/gm, '     '))
  }
}
console.log(`${checks.length - failed} passed, ${failed} failed`)
process.exitCode = failed === 0 ? 0 : 1

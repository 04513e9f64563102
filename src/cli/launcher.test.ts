import { existsSync, readFileSync } from 'node:fs'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'

const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const launcher: string = manifest.bin.redrive

/** What the published launcher does on a given Node. */
function launchOn(version: string): { loaded: string[]; complaints: string[]; exitCode: number | undefined } {
  const [loaded, complaints]: [string[], string[]] = [[], []]
  const world: { exitCode?: number; versions: { node: string } } = { versions: { node: version } }
  const source = readFileSync(launcher, 'utf8').replace(/^#!.*/, '')
  runInNewContext(source, {
    process: world,
    require: (path: string) => loaded.push(path),
    console: { error: (text: string) => complaints.push(text) },
  })
  return { loaded, complaints, exitCode: world.exitCode }
}

test.each(['24.15.0', '24.20.1', '25.0.0'])('on Node %s the launcher starts the command line', (version) => {
  expect(launchOn(version)).toEqual({ loaded: ['../dist/cli/redrive.js'], complaints: [], exitCode: undefined })
})

test.each(['24.14.9', '22.99.0', '8.17.0'])('on Node %s it says which one it needs', (version) => {
  const complaints = [`redrive: needs Node 24.15 or later; this is ${version}.`]
  expect(launchOn(version)).toEqual({ loaded: [], complaints, exitCode: 2 })
})

test('it needs what the package says, is published, and starts what is built from a file that is there', () => {
  expect(manifest.engines.node).toBe('>=24.15')
  expect(manifest.files).toEqual(expect.arrayContaining(['bin', 'dist']))
  expect(existsSync('src/cli/redrive.ts')).toBe(true)
})

import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { sourceFiles } from './source-files.ts'

const page = readFileSync('ARCHITECTURE.md', 'utf8')
const isPartOfATest = (path: string): boolean =>
  /\.(test|fixture)\.ts$/.test(path) || path.startsWith('src/transports/conformance/')

const named: readonly string[] = [...page.matchAll(/`(?:[\w./-]*\/)?([\w-]+\.ts)`/g)].map(([, name = '']) => name)

/** Several folders have a `letters.ts`: each of them is named, so the name stands there as often as there are files. */
it('the reading order names every source file', () => {
  const names = sourceFiles('src').flatMap(({ path }) => (isPartOfATest(path) ? [] : [basename(path)]))
  const count = (all: readonly string[], name: string): number => all.filter((each) => each === name).length
  const unnamed = [...new Set(names)].filter((name) => count(named, name) < count(names, name))
  expect(unnamed).toEqual([])
})

it('the reading order names no file that is not there', () => {
  const folders = ['src', 'scripts', 'bench', 'test', 'web/src']
  const there = new Set(folders.flatMap((folder) => sourceFiles(folder).map(({ path }) => basename(path))))
  expect(named.filter((name) => !there.has(name))).toEqual([])
})

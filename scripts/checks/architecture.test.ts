import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { expect, it } from 'vitest'
import { sourceFiles } from './source-files.ts'

const page = readFileSync('ARCHITECTURE.md', 'utf8')
const isPartOfATest = (path: string): boolean =>
  /\.(test|fixture)\.ts$/.test(path) || path.startsWith('src/transports/conformance/')

it('the reading order names every source file', () => {
  const paths = sourceFiles('src').map(({ path }) => path)
  const unnamed = paths.filter((path) => !isPartOfATest(path) && !page.includes(basename(path)))
  expect(unnamed).toEqual([])
})

it('the reading order names no file that is not there', () => {
  const folders = ['src', 'scripts', 'bench', 'test']
  const there = new Set(folders.flatMap((folder) => sourceFiles(folder).map(({ path }) => basename(path))))
  const named = [...page.matchAll(/`(?:[\w./-]*\/)?([\w-]+\.ts)`/g)].map(([, name = '']) => name)
  expect(named.filter((name) => !there.has(name))).toEqual([])
})

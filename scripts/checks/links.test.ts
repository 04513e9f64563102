import { existsSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { sourceFiles } from './source-files.ts'

const pages = [
  ...['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'CHANGELOG.md'].map((path) => ({
    path,
    text: readFileSync(path, 'utf8'),
  })),
  ...sourceFiles('docs', '.md'),
]

describe('the documentation', () => {
  it.each(pages)('$path links only to files that are there', ({ path, text }) => {
    const targets = [...text.matchAll(/\]\((?!https?:)([^)#]+)/g)].map(([, target = '']) => join(dirname(path), target))
    expect(targets.filter((target) => !existsSync(target))).toEqual([])
  })

  it.each(pages)('$path names only npm scripts that are there', ({ text }) => {
    const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: Record<string, string> }
    const named = [...text.matchAll(/npm run ([\w-]+)/g)].map(([, name = '']) => name)
    expect(named.filter((name) => scripts[name] === undefined)).toEqual([])
  })
})

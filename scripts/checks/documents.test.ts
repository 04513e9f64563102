import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { errorCodes } from '../../src/core/errors.ts'
import { adrIndex } from './adr-index.ts'
import { compareFiles, comparePages } from './documents.ts'
import { sectionNames, withSections } from './generated-sections.ts'
import { shownExample } from './shown-example.ts'
import { sourceFiles } from './source-files.ts'

describe('generated parts of the documentation', () => {
  it('are what the code says; npm run docs writes them', async () => {
    for (const { path, found, wanted } of [...(await comparePages()), ...(await compareFiles())]) expect(found, path).toBe(wanted)
  })

  it('stand in every page that is said to have one, and in no other', async () => {
    const pages = [...sourceFiles('docs', '.md'), { path: 'README.md', text: readFileSync('README.md', 'utf8') }]
    const marked = pages.filter(({ text }) => sectionNames(text).length > 0).map(({ path }) => path)
    expect(marked.sort()).toEqual((await comparePages()).map(({ path }) => path).sort())
  })

  it('are found to be stale when somebody edits them', () => {
    const page = 'above\n<!-- generated: one -->\nedited\n<!-- end of generated: one -->\nbelow'
    expect(withSections(page, new Map([['one', 'true']]))).toBe(page.replace('edited', 'true'))
    expect(() => withSections(page, new Map())).toThrow('Nothing writes the generated section "one"')
  })
})

describe('docs/errors.md', () => {
  it('has one section for every error code, and for nothing else', () => {
    const headings = [...readFileSync('docs/errors.md', 'utf8').matchAll(/^## `(.+)`$/gm)].map(([, code]) => code)
    expect(headings).toEqual(Object.keys(errorCodes))
  })
})

describe('the example in the README', () => {
  const source = readFileSync('examples/01-first-consumer/main.ts', 'utf8')

  it('has at most twenty lines and imports the package, not its source', () => {
    const example = shownExample(source)
    expect(example.split('\n').length).toBeLessThanOrEqual(20)
    expect(example).toContain("from 'redrive/embedded'")
    expect(example).not.toContain('src/')
  })

  it('is refused when nobody can tell where it ends', () => {
    expect(() => shownExample('const x = 1')).toThrow('The page shows everything above')
  })
})

describe('decision records', () => {
  it('are refused without front matter', () => {
    expect(() => adrIndex([{ path: 'docs/adr/x.md', text: '# X\n' }])).toThrow('docs/adr/x.md has no ')
  })
})

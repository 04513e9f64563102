import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { inventedOptions, missingOptions, optionNames, optionSets } from './documented-options.ts'

const read = (path: string): string => readFileSync(path, 'utf8')

describe('options in the documentation', () => {
  it.each(optionSets)('every option of $interfaces stands in $page under $section', ({ file, interfaces, page, section }) => {
    const names = interfaces.flatMap((name) => optionNames(read(file), name))
    expect(names.length).toBeGreaterThan(0)
    expect(missingOptions(read(page), section, names)).toEqual([])
  })

  it('no option stands there that the code does not know', () => {
    const sections = Map.groupBy(optionSets, ({ page, section }) => `${page} ${section}`)
    for (const sets of sections.values()) {
      const names = sets.flatMap(({ file, interfaces }) => interfaces.flatMap((name) => optionNames(read(file), name)))
      const { page = '', section = '' } = sets[0] ?? {}
      expect(inventedOptions(read(page), section, names), section).toEqual([])
    }
  })

  it('an option that nobody explained is caught, also a nested one', () => {
    const source =
      'export interface X {\n  /** Not readonly y: this. */\n  readonly a?: { readonly b?: number }\n  readonly c: string\n}\n'
    expect(optionNames(source, 'X')).toEqual(['a', 'b', 'c'])
    const page = '# Page\n\n## X\n\n| `a.b` | 1 | It. |\n| `d` | 1 | It. |\n\n## Y\n\n| `c` | 1 | It. |\n'
    expect(missingOptions(page, '## X', ['a', 'b', 'c'])).toEqual(['c'])
    expect(inventedOptions(page, '## X', ['a', 'b', 'c'])).toEqual(['d'])
  })
})

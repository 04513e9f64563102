import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type RunResult, run } from '../run.ts'
import type { FileRecord } from './record.ts'

/** Each function stands for one thing that can become of its mutants. */
const source = `
const rates = { low: 5, high: 20 }

export function withTax(net: number, rate: 'low' | 'high'): number {
  return net + (net * rates[rate]) / 100
}

export function turnsOf(from: number): number {
  let turns = 0
  for (let left = from; left > 0; left--) turns++
  return turns
}

export function larger(a: number, b: number): number {
  return a > b ? a : b
}

export function nobodyAsks(): string {
  return 'unheard'
}
`

const tests = `
import { expect, it } from 'vitest'
import { larger, turnsOf, withTax } from './price.ts'

it('adds the tax', () => {
  expect([withTax(100, 'low'), withTax(100, 'high')]).toEqual([105, 120])
})

it('counts turns', () => {
  expect([turnsOf(0), turnsOf(3)]).toEqual([0, 3])
})

it('gives the larger one', () => {
  expect([larger(1, 2), larger(2, 1), larger(2, 2)]).toEqual([2, 2, 2])
})
`

const repository = resolve(import.meta.dirname, '../..')
const folders: string[] = []

/** Runs the real script, with the real Stryker, in a project of one file. */
async function mutate(testText: string): Promise<{ readonly folder: string; readonly result: RunResult }> {
  const folder = mkdtempSync(join(tmpdir(), 'redrive-mutation-'))
  folders.push(folder)
  mkdirSync(join(folder, 'src/core'), { recursive: true })
  mkdirSync(join(folder, 'docs/reports'), { recursive: true })
  symlinkSync(join(repository, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'src/core/price.ts'), source)
  writeFileSync(join(folder, 'src/core/price.test.ts'), testText)
  const result = await run(process.execPath, [join(repository, 'scripts/mutation.ts'), '--lanes', '1'], { folder })
  return { folder, result }
}

afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true })
})

describe('in a project whose mutants are known', { timeout: 600_000 }, () => {
  let price: FileRecord

  beforeAll(async () => {
    const { folder, result } = await mutate(tests)
    expect(result).toMatchObject({ code: 0 })
    price = JSON.parse(readFileSync(join(folder, 'docs/reports/mutation.json'), 'utf8'))['src/core/price.ts']
  }, 600_000)

  it('only the mutant that changes nothing survives', () => {
    expect(price.survived).toEqual(['15:10 EqualityOperator: a >= b'])
  })

  it('mutants that no test runs are told apart', () => {
    expect(price.unreached).toEqual(['18:38 BlockStatement: {}', '19:10 StringLiteral: ""'])
  })

  it('loops without an end are brought to one', () => {
    expect(price.endless).toBeGreaterThan(0)
  })

  it('all others are killed, also the one in a table that is made when the module is loaded', () => {
    expect(price.killed).toBeGreaterThan(10)
  })
})

it('nothing is tried when the tests fail without a mutant', { timeout: 600_000 }, async () => {
  const { result } = await mutate(tests.replace('[105, 120]', '[105, 121]'))
  expect(result.code).not.toBe(0)
  expect(result.output).toContain('without any mutant "adds the tax" fails')
})

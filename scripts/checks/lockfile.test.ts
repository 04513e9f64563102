import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'

interface Locked {
  /** Absent where it is whichever registry npm is told to use. */
  readonly resolved?: string
  readonly integrity?: string
  readonly link?: boolean
  readonly hasInstallScript?: boolean
  readonly inBundle?: boolean
}

/** Packages that run something when they are installed. Each of them is a decision: whoever adds one says so here. */
// protobufjs compares how its version is written in the package that wants it, and says so.
const runAtInstall: readonly string[] = ['node_modules/core-js-pure', 'node_modules/msgpackr-extract', 'node_modules/protobufjs']

function findings(packages: Readonly<Record<string, Locked>>): readonly string[] {
  return Object.entries(packages)
    .filter(([path, { link }]) => path.includes('node_modules/') && !link)
    .flatMap(([path, { resolved, integrity, hasInstallScript, inBundle }]) => [
      ...(integrity === undefined && !inBundle ? [`${path} has no integrity.`] : []),
      ...(resolved === undefined || resolved.startsWith('https://')
        ? []
        : [`${path} comes from elsewhere than a registry over https.`]),
      ...(hasInstallScript && !runAtInstall.includes(path) ? [`${path} runs something when it is installed.`] : []),
    ])
}

describe('package-lock.json', () => {
  it('case 59: pins every package by its hash, from a registry, and lists those that run at install', () => {
    const { packages } = JSON.parse(readFileSync('package-lock.json', 'utf8')) as { packages: Record<string, Locked> }
    expect(Object.keys(packages).length).toBeGreaterThan(100)
    expect(findings(packages)).toEqual([])
  })

  it('planted bug: a package from a repository, without a hash, that runs something is found', () => {
    const bad = { resolved: 'git+ssh://git@example.com/x.git', hasInstallScript: true }
    expect(findings({ 'node_modules/x': bad })).toHaveLength(3)
  })
})

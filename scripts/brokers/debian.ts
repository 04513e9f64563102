import { chmod, rm, writeFile } from 'node:fs/promises'
import { runToEnd } from './process.ts'

const policy = '/usr/sbin/policy-rc.d'
const quiet = { DEBIAN_FRONTEND: 'noninteractive' }

/** Installs packages without letting any of them start a service. */
export async function installPackages(packages: readonly string[]): Promise<void> {
  requireRoot(`installing ${packages.join(', ')}`)
  const ours = await forbidServices()
  try {
    await runToEnd('apt-get', ['update', '-qq'], quiet)
    const options = ['-y', '-qq', '--no-install-recommends', '-o', 'DPkg::Lock::Timeout=600']
    await runToEnd('apt-get', ['install', ...options, ...packages], quiet)
  } finally {
    if (ours) await rm(policy)
  }
}

export function requireRoot(what: string): void {
  if (process.getuid?.() !== 0) throw new Error(`Only root may do this: ${what}.`)
}

/** Tells whether the policy is ours; one that was there before stays. */
async function forbidServices(): Promise<boolean> {
  try {
    await writeFile(policy, '#!/bin/sh\nexit 101\n', { flag: 'wx' })
    await chmod(policy, 0o755)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
    throw error
  }
}

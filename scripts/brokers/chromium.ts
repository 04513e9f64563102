import { type Browser, chromium as playwright } from 'playwright-core'
import { installPackages } from './debian.ts'
import { onPath } from './path.ts'

/** A browser of our own, for tests and screenshots, which says no word to anybody but the pages it is sent to. */
const options = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-dev-shm-usage',
]

export class MissingChromium extends Error {
  constructor() {
    super('Chromium is not on this machine. Get it with: npm run brokers -- install chromium')
    this.name = 'MissingChromium'
  }
}

/** Where it is: named by REDRIVE_CHROMIUM, or on PATH; `undefined` when it is nowhere. */
export function findChromium(): string | undefined {
  return process.env['REDRIVE_CHROMIUM'] || onPath('chromium') || onPath('chromium-browser') || onPath('google-chrome')
}

/** Debian's package, with one font; does nothing when a browser is there. */
export async function installChromium(): Promise<void> {
  if (!findChromium()) await installPackages(['chromium', 'fonts-dejavu-core'])
}

/** Bounds one that does not start, and not one that is slow to. Milliseconds. */
const startWithin = 180_000

/** With an empty profile, which goes with it. */
export async function startChromium(): Promise<Browser> {
  const executablePath = findChromium()
  if (!executablePath) throw new MissingChromium()
  return playwright.launch({ executablePath, args: [...options], headless: true, timeout: startWithin })
}

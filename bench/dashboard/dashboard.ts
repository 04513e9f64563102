import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import type { Page } from 'playwright-core'
import { startChromium } from '../../scripts/brokers/chromium.ts'
import { buildWeb, webFolder } from '../../scripts/build-web.ts'
import { createControlPlane, type RunningControlPlane } from '../../src/ops/create-control-plane.ts'
import { newUuid } from '../../src/platform/chance.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { fingerprintOf } from '../../src/server/secrets.ts'
import { createServer } from '../../src/server/server.ts'
import { sqliteVault } from '../../src/vault/sqlite/sqlite-vault.ts'
import type { Vault } from '../../src/vault/vault.ts'
import { feelOfAnEmptyPage } from './empty-page.ts'
import { fillVault } from './fill.ts'
import { steps } from './steps.ts'
import { type Felt, watchPage } from './watch-page.ts'

export interface DashboardReport {
  readonly letters: number
  /** By what a person does. */
  readonly steps: Readonly<Record<string, Felt>>
  /** An empty page beside them, before and after: what the browser and the machine cost by themselves. */
  readonly empty: { readonly before: Felt; readonly after: Felt }
  /** The worst of all steps. Milliseconds. */
  readonly interactionToNextPaint: number
  readonly layoutShift: number
}

/** So often something changes while the steps are gone through. Milliseconds. */
const changesEvery = 200

/** Fills a vault, opens the dashboard on it in a real browser, and goes through it while letters change all the time. */
export async function dashboardBench(letters: number): Promise<DashboardReport> {
  await buildWeb(console.log)
  const folder = mkdtempSync(join(process.env['REDRIVE_BENCH_FOLDER'] ?? tmpdir(), 'redrive-dashboard-bench-'))
  const file = join(folder, 'vault.db')
  await fillVault(file, letters)
  const vault = sqliteVault({ file })
  const plane = createControlPlane({
    ...{ vault, clock: systemClock, newId: newUuid, draw: randomBytes, sources: [] },
    transportNamed: () => undefined,
  })
  const server = await createServer({ controlPlane: plane, vault, pages: resolve(webFolder) })
  const browser = await startChromium()
  try {
    if (!(await plane.conservation()).holds) throw new Error('The vault was filled with letters that do not add up.')
    const address = await server.listen()
    const context = await browser.newContext({ baseURL: address, viewport: { width: 1440, height: 900 } })
    await context.addCookies([{ name: 'redrive', value: await admin(vault), url: address, httpOnly: true, sameSite: 'Strict' }])
    const page = await context.newPage()
    const stopChanges = keepChanging(plane)
    const before = await feelOfAnEmptyPage(context)
    await page.bringToFront()
    const felt = await goThrough(page)
    const after = await feelOfAnEmptyPage(context)
    await stopChanges()
    return { letters, steps: felt, empty: { before, after }, ...worstOf(Object.values(felt)) }
  } finally {
    await browser.close()
    await server.close()
    await plane.close()
    await vault.close()
    rmSync(folder, { recursive: true })
  }
}

/** Somebody who is signed in, as the secret that says so. */
async function admin(vault: Vault): Promise<string> {
  const now = Date.now()
  const { id: user } = await vault.write('createUser', { name: 'bench', role: 'admin', sources: ['*'], reveal: false, now })
  const secret = randomBytes(32).toString('base64url')
  const session = { hash: fingerprintOf(secret), user, now, address: '127.0.0.1', begunBefore: 0, usedBefore: 0 }
  await vault.write('beginSession', session)
  return secret
}

/** Letters are discarded and restored by turns, of which every page that is open hears. */
function keepChanging({ letters }: RunningControlPlane): () => Promise<void> {
  let isOver = false
  async function change(): Promise<void> {
    for (let id = 1; !isOver; id++) {
      const selection = { letters: [1 + (id % 1000)] }
      await letters.discard(selection, { actor: 'bench' })
      await letters.restore(selection, { actor: 'bench' })
      await new Promise((next) => setTimeout(next, changesEvery))
    }
  }
  const changing = change()
  return () => {
    isOver = true
    return changing
  }
}

async function goThrough(page: Page): Promise<Readonly<Record<string, Felt>>> {
  const felt: Record<string, Felt> = {}
  await watchPage(page)
  for (const [name, { from, act }] of Object.entries(steps)) {
    await page.goto(from.path)
    await page.getByText(from.sign).first().waitFor()
    felt[name] = await (await watchPage(page)).during(() => act(page))
  }
  return felt
}

function worstOf(felt: readonly Felt[]): Pick<DashboardReport, 'interactionToNextPaint' | 'layoutShift'> {
  return {
    interactionToNextPaint: Math.max(...felt.map(({ nextPaint }) => nextPaint)),
    layoutShift: Math.max(...felt.map(({ shift }) => shift)),
  }
}

export function printDashboard(report: DashboardReport): void {
  const { letters, steps: felt, empty, interactionToNextPaint, layoutShift } = report
  console.log(`dashboard with ${letters.toLocaleString('en')} letters`)
  printFelt('an empty page, before', empty.before)
  for (const [name, each] of Object.entries(felt)) printFelt(name, each)
  printFelt('an empty page, after', empty.after)
  console.log(`  interaction to next paint ${interactionToNextPaint} ms, layout shift ${layoutShift.toFixed(4)}`)
}

function printFelt(name: string, { interactions, longest, nextPaint, spent, shift, others }: Felt): void {
  const { waiting, working, painting } = spent
  const where = `(waiting ${waiting.toFixed(0)}, working ${working.toFixed(0)}, painting ${painting.toFixed(0)})`
  const paint = `to next paint ${nextPaint} ms, longest ${longest} ms ${where}`
  const told = `${String(interactions).padStart(3)} keys and clicks, ${paint}, shift ${shift.toFixed(4)}, others had ${(others * 100).toFixed(0)} % of the machine`
  console.log(`  ${name.padEnd(38)} ${told}`)
}

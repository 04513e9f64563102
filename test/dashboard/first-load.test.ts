import { readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { buildWeb, webFolder } from '../../scripts/build-web.ts'

const mostFirst = 200 * 1024

/** What a browser fetches before it can show anything: what the page names. */
function namedByThePage(): readonly string[] {
  const page = readFileSync(join(webFolder, 'index.html'), 'utf8')
  return [...page.matchAll(/(?:src|href)="\/assets\/([^"]+\.js)"/g)].map(([, name = '']) => name)
}

test('the first load is at most 200 KB of compressed JavaScript, and the editor is not part of it', {
  timeout: 240_000,
}, async () => {
  await buildWeb()
  const first = namedByThePage()
  expect(first.length).toBeGreaterThan(0)
  const sizes = first.map((name) => statSync(join(webFolder, 'assets', `${name}.gz`)).size)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(mostFirst)
  const later = readdirSync(join(webFolder, 'assets')).filter((name) => name.endsWith('.js') && !first.includes(name))
  expect(later.some((name) => name.startsWith('edit-'))).toBe(true)
})

test('nothing in the page runs that does not stand in a file of its own', { timeout: 240_000 }, async () => {
  await buildWeb()
  const page = readFileSync(join(webFolder, 'index.html'), 'utf8')
  expect(page).not.toMatch(/<script(?![^>]*\ssrc=)/)
  expect(page).not.toMatch(/<style|\sstyle=|\son\w+=|https?:/)
})

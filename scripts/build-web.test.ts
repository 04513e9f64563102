import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { putInPlace } from './build-web.ts'

function places(): { readonly root: string; readonly place: string; build(who: string, from: string): string } {
  const root = mkdtempSync(join(tmpdir(), 'redrive-web-'))
  onTestFinished(() => rmSync(root, { recursive: true }))
  return {
    root,
    place: join(root, 'dist'),
    build(who, from) {
      const folder = join(root, `dist-${who}`)
      mkdirSync(folder)
      writeFileSync(join(folder, 'index.html'), who)
      writeFileSync(join(folder, '.made-from'), from)
      return folder
    },
  }
}

test('of two who build the same at the same time, the first one stays in place, and nothing is left of the other', () => {
  const { root, place, build } = places()
  const [one, other] = [build('one', 'these sources'), build('other', 'these sources')]
  putInPlace(one, place, 'these sources')
  putInPlace(other, place, 'these sources')
  expect(readFileSync(join(place, 'index.html'), 'utf8')).toBe('one')
  expect(readdirSync(root)).toEqual(['dist'])
})

test('what was made from other sources is replaced', () => {
  const { root, place, build } = places()
  putInPlace(build('old', 'older sources'), place, 'older sources')
  putInPlace(build('new', 'newer sources'), place, 'newer sources')
  expect(readFileSync(join(place, 'index.html'), 'utf8')).toBe('new')
  expect(readdirSync(root)).toEqual(['dist'])
})

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { api, createWorld, inject, type World, world } from './server.fixture.ts'

let made: World
const folder = mkdtempSync(join(tmpdir(), 'redrive-pages-'))

beforeAll(async () => {
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>Redrive</title>')
  writeFileSync(join(folder, 'favicon.svg'), '<svg xmlns="http://www.w3.org/2000/svg"/>')
  writeFileSync(join(folder, 'assets', 'index-abc.js'), 'plain')
  writeFileSync(join(folder, 'assets', 'index-abc.js.br'), 'smaller')
  writeFileSync(join(folder, 'secret.txt'), 'secret')
  made = await createWorld({ pages: folder })
})

afterAll(async () => {
  await made.close()
  rmSync(folder, { recursive: true, force: true })
})

const get = (url: string, headers: Record<string, string> = {}) => inject(made.server, { method: 'GET', url, headers })

describe('the pages of the dashboard', () => {
  test.each(['/', '/letters/7', '/replays?x=1', '/no/such/page'])(
    '%s is the one page, which finds its way itself',
    async (url) => {
      const answer = await get(url)
      expect(answer.statusCode).toBe(200)
      expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
      expect(answer.headers['cache-control']).toBe('no-store')
    },
  )

  test('case 25: run no text as code, and only what the server sends', async () => {
    const { headers } = await get('/')
    expect(headers['content-security-policy']).toBe(
      "default-src 'self';object-src 'none';base-uri 'none';frame-ancestors 'none';form-action 'self';require-trusted-types-for 'script';trusted-types 'none'",
    )
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
    })
  })

  test('assets have a hash in their names and are kept for ever, compressed where that is taken', async () => {
    const plain = await get('/assets/index-abc.js')
    expect([plain.statusCode, plain.body, plain.headers['cache-control']]).toEqual([
      200,
      'plain',
      'public, max-age=31536000, immutable',
    ])
    const smaller = await get('/assets/index-abc.js', { 'accept-encoding': 'br, gzip' })
    expect([smaller.body, smaller.headers['content-encoding']]).toEqual(['smaller', 'br'])
    expect(smaller.headers['content-type']).toMatch(/javascript/)
  })

  test.each([
    '/assets/..%2fsecret.txt',
    '/assets/..%5csecret.txt',
    '/assets/../secret.txt',
    '/assets/%2e%2e/secret.txt',
    '/assets/....//secret.txt',
    '/assets/%00',
    '/assets/',
    '/assets/nothing-there.js',
    '/secret.txt',
  ])('case 35: %s leads to no other file', async (url) => {
    const answer = await get(url)
    expect(answer.body).not.toContain('secret')
    expect([200, 400, 404]).toContain(answer.statusCode)
    if (answer.statusCode === 200) expect(answer.headers['content-type']).toBe('text/html; charset=utf-8')
  })

  test('an address of the API that is not there stays a problem, and no page', async () => {
    const answer = await get(`${api}/nothing`)
    expect([answer.statusCode, answer.json()]).toEqual([404, expect.objectContaining({ code: 'not-found' })])
  })

  test('are for strangers, too, and are listed with the other routes', async () => {
    const pages = made.server.routes.filter(({ rule }) => rule.action === 'pages.read')
    expect(pages.filter(({ method }) => method === 'GET').map(({ url }) => url)).toEqual(['/assets/*', '/favicon.svg', '/', '/*'])
    expect(pages.every(({ rule }) => rule.need === 'nothing')).toBe(true)
  })

  test('without them there is the API alone', async () => {
    const { server } = await world()
    expect((await inject(server, { method: 'GET', url: '/' })).statusCode).toBe(404)
  })
})

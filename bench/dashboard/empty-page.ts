import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { BrowserContext } from 'playwright-core'
import { type Felt, watchPage } from './watch-page.ts'

const keys = 60

/** A page that does nothing but to count keys: a browser that is slow here is slow everywhere. */
const page = `<!doctype html><title>empty</title><p>0</p><script>
  let keys = 0
  addEventListener('keydown', () => { document.querySelector('p').textContent = ++keys })
</script>`

/** What a person feels of a page with nothing on it, in the same browser and beside the same work of the server. */
export async function feelOfAnEmptyPage(context: BrowserContext): Promise<Felt> {
  const server = createServer((_request, response) => response.setHeader('content-type', 'text/html').end(page))
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening))
  const empty = await context.newPage()
  try {
    await empty.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`)
    const watched = await watchPage(empty)
    return await watched.during(async () => {
      for (let key = 0; key < keys; key++) await empty.keyboard.press('j')
    })
  } finally {
    await empty.close()
    server.close()
  }
}

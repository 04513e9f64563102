import { expect, test } from 'vitest'
import { world } from './server.fixture.ts'

test.each(['/rules/NAME/test', '/notifiers/NAME/test'])('a part of an address that is too long is refused: %s', async (path) => {
  const { ask } = await (await world()).person({ role: 'admin' })
  for (const length of [101, 5000]) {
    const answer = await ask('POST', path.replace('NAME', 'x'.repeat(length)), { since: 0 })
    expect(answer.json()).toMatchObject({ status: 400, code: 'bad-request' })
  }
})

import { spawnSync } from 'node:child_process'
import { afterAll, expect, test } from 'vitest'
import { workplace } from '../../test/cli/run-redrive.ts'

const here = workplace()
afterAll(() => here.remove())

/** What bash offers after these words, the last of which is being typed. */
async function offered(...words: readonly string[]): Promise<readonly string[]> {
  const { out } = await here.redrive('completion', 'bash')
  const line = words.map((word) => `'${word}'`).join(' ')
  const script = `${out}\nCOMP_WORDS=(redrive ${line}); COMP_CWORD=${words.length}; _redrive; echo "\${COMPREPLY[*]}"`
  const { stdout, stderr } = spawnSync('bash', ['--norc', '-c', script], { encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.trim().split(' ')
}

test('bash completes commands, commands of commands, and options', async () => {
  expect(await offered('caus')).toEqual(['causes', 'cause'])
  expect(await offered('topology', 'a')).toEqual(['apply'])
  expect(await offered('replay', 'state:open', '--re')).toEqual([''])
  expect(await offered('replay', '--can')).toEqual(['--canary'])
  expect(await offered('letters', '--before', '3', '--js')).toEqual(['--json', '--jsonl'])
})

test.each(['zsh', 'fish'])('what %s is told names every command', async (shell) => {
  const { status, out } = await here.redrive('completion', shell)
  expect(status).toBe(0)
  for (const name of ['letters', 'replay-status', 'topology', 'completion']) expect(out).toContain(name)
})

test('a shell that is not known is named with those that are', async () => {
  expect(await here.redrive('completion', 'cmd')).toMatchObject({ status: 2, err: expect.stringContaining('bash, zsh, fish') })
})

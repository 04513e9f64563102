import type { ChildProcess } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { type RunningProgram, startProgram } from '../test/program.ts'

/** Examples are documentation, and documentation that does not run is wrong: each runs here as its reader would run it. */
let folder = ''
let children: ChildProcess[] = []

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'redrive-examples-'))
  children = []
})

afterEach(() => {
  for (const child of children) if (child.exitCode === null) child.kill('SIGKILL')
  rmSync(folder, { recursive: true, force: true })
})

function start(example: string, args: readonly string[] = []): RunningProgram {
  const running = startProgram(resolve('examples', example, 'main.ts'), args, { cwd: folder })
  children.push(running.child)
  return running
}

async function finish(example: string, args: readonly string[] = []): Promise<{ code: number | null; output: string }> {
  const running = start(example, args)
  return { code: await running.exit, output: running.output() }
}

describe('01-first-consumer', () => {
  it('ships the good order, dead-letters the failing one after three attempts and sets the invalid one apart', async () => {
    const { code, output } = await finish('01-first-consumer')
    expect(
      output
        .split('\n')
        .filter((line) => !line.includes('comes back'))
        .sort(),
    ).toEqual([
      '',
      'dlq.order.placed holds 1',
      'expensive is in dlq.order.placed: MaxDeliveryCountExceeded',
      'invalid.order.placed holds 1',
      'order.placed holds 0',
      'scrambled is in invalid.order.placed: Unacceptable',
      'shipped order-1 at attempt 1',
    ])
    expect(output.match(/expensive failed and comes back/g)).toHaveLength(2)
    expect(code).toBe(0)
  })
})

describe('04-batches', () => {
  it('inserts every reading but the one that is refused, which becomes a letter', async () => {
    const { code, output } = await finish('04-batches')
    expect(output.split('\n')).toEqual([
      'one reading is in dlq.reading.taken: Refused, a meter does not run backwards',
      '99 readings were inserted, 0 are left',
      '',
    ])
    expect(code).toBe(0)
  })
})

describe('05-claim-check', () => {
  it('stores a large body beside the broker, and gives it to the handler', async () => {
    const { code, output } = await finish('05-claim-check')
    expect(output.split('\n')).toEqual([
      'contract has 20 pages; 0 bytes of it came with the message',
      '0 old bodies were removed',
      '',
    ])
    expect(code).toBe(0)
  })
})

describe('02-payments', () => {
  it.each(['memory', 'embedded'])('accounts for every payment on %s: settled, or one letter each', async (transport) => {
    const { code, output } = await finish('02-payments', ['--transport', transport, '--once', '--count', '50', '--seed', '1'])
    expect(output).toContain('summary: created 50, settled 46, dead-lettered 3, invalid 1, open 0')
    expect(output).toContain('summary: the dead-letter channel holds 3; the monitor consumed none')
    expect(code).toBe(0)
  })

  it('gives the handler retry counts 0, 1, 2 and no more, then logs one permanent failure', async () => {
    const { output } = await finish('02-payments', ['--transport', 'memory', '--once', '--count', '10', '--seed', '1'])
    const dead = [...output.matchAll(/dead +(tx-\S+) MaxDeliveryCountExceeded: The acquirer does not answer$/gm)]
    expect(dead).toHaveLength(1)
    const counts = [...output.matchAll(new RegExp(`trying +${dead[0]?.[1]} retry_count=(\\d)`, 'g'))]
    expect(counts.map(([, count]) => count)).toEqual(['0', '1', '2'])
  })

  it('sends a payment that no retry can help to the dead-letter channel at once, with the reason of the handler', async () => {
    const { output } = await finish('02-payments', ['--transport', 'memory', '--once', '--count', '60', '--seed', '2'])
    const dead = [...output.matchAll(/dead +(tx-\S+) AccountClosed: The account is closed$/gm)]
    expect(dead.length).toBeGreaterThan(0)
    for (const [, id] of dead) expect(output.match(new RegExp(`trying +${id} `, 'g'))).toHaveLength(1)
  })

  it('does the same for the same seed', async () => {
    const story = async (): Promise<string[]> => {
      const { output } = await finish('02-payments', ['--transport', 'memory', '--once', '--count', '20', '--seed', '7'])
      return [...output.matchAll(/(?:dead|invalid|settled) +tx-[0-9a-f]+-(\d+)/g)].map(([, number]) => String(number)).sort()
    }
    expect(await story()).toEqual(await story())
  })

  it.each(['SIGINT', 'SIGTERM'] as const)('stops in order and with exit code 0 at %s', async (signal) => {
    const running = start('02-payments')
    await running.shows('settled')
    running.child.kill(signal)
    expect(await running.exit).toBe(0)
    expect(running.output()).toMatch(/stop +stopped\nsummary: created \d+, /)
  })

  it('shows the number of dead letters once a second', async () => {
    const running = start('02-payments')
    await running.shows(/status: created \d+ \| settled \d+ \| retrying \d+ \| invalid \d+ \| DLQ \d+\n/)
    running.child.kill('SIGINT')
    await running.exit
  })

  it('runs as three processes that share one file', async () => {
    const shared = ['--file', join(folder, 'payments.db')]
    const monitor = start('02-payments', ['--role', 'monitor', ...shared])
    const workers = start('02-payments', ['--role', 'workers', ...shared])
    const api = start('02-payments', ['--role', 'api', '--count', '3', ...shared])
    expect(await api.exit).toBe(0)
    await monitor.shows(/dead +tx-\S+-00002 MaxDeliveryCountExceeded/)
    await workers.shows(/settled +tx-\S+-00003/)
    for (const { child } of [monitor, workers]) child.kill('SIGTERM')
    expect([await monitor.exit, await workers.exit]).toEqual([0, 0])
  })

  it.each([
    [
      ['--transport', 'rabbit'],
      '--transport is "rabbit". Allowed: embedded, kafka, memory, postgres, rabbitmq, redis, rocketmq, servicebus, sqs.',
    ],
    [['--colour'], "Unknown option '--colour'"],
  ])('refuses %j in one line and with exit code 2', async (args, message) => {
    const { code, output } = await finish('02-payments', args)
    expect(output).toContain(message)
    expect(output).not.toContain('    at ')
    expect(code).toBe(2)
  })

  it('explains itself', async () => {
    const { code, output } = await finish('02-payments', ['--help'])
    expect(output).toContain('--transport NAME  embedded | kafka | memory')
    expect(code).toBe(0)
  })
})

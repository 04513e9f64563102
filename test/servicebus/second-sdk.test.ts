import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { findAzurePython, MissingAzurePython } from '../../scripts/brokers/azure-python.ts'
import { noteNotRun, onlyListing } from '../brokers/broker-for-tests.ts'
import { startServer } from './server.ts'

const program = fileURLToPath(new URL('core_flow.py', import.meta.url))

/** Where it cannot be had, a CI run fails; on a person's machine the answer is a note. */
function pythonForTests(): string | { readonly notRun: string } {
  const python = onlyListing ? '' : findAzurePython()
  if (python !== undefined) return python
  const missing = new MissingAzurePython()
  if (process.env['CI']) throw missing
  return noteNotRun(`NOT RUN: ${missing.message}`)
}

const python = pythonForTests()
if (typeof python === 'string') {
  test('the core flow works with an unmodified SDK of another language', { timeout: 300_000 }, async () => {
    const server = await startServer()
    onTestFinished(() => server.stop())
    server.namespace.createQueue('work', { lockDuration: 300_000 })
    server.namespace.createQueue('ordered', { lockDuration: 300_000, requiresSession: true })
    const { stdout } = await promisify(execFile)(python, [program, server.connectionString])
    expect(JSON.parse(stdout)).toEqual({
      'sent and received': ['completed', '1', 0],
      properties: { n: 7 },
      abandoned: ['first', 1],
      'dead letter': ['first', 'PoisonMessage', 'It never works'],
      'second of a batch': 'second',
      'scheduled is seen before its time': 'scheduled',
      scheduled: ['scheduled', true],
      left: 0,
      session: [['a1', 'a2'], 'half way'],
    })
  })
} else test(python.notRun, () => expect(process.env['CI']).toBeFalsy())

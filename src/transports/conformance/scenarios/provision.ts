import assert from 'node:assert/strict'
import type { Finding } from '../../topology.ts'
import { label, labels, rejectsWith } from '../expectations.ts'
import { type Scenario, scenariosOf } from '../scenario.ts'

function severities(findings: readonly Finding[]): string[] {
  return findings.map(({ severity }) => severity)
}

export const provisionScenarios: readonly Scenario[] = scenariosOf('provision', [
  {
    name: 'a check tells what is missing and creates nothing',
    catches: ['creates on a check', 'finds nothing missing'],
    async run(bench) {
      const address = bench.absent('wanted')
      const wanted = { channels: [{ address, role: 'work' }] } as const
      assert.ok(severities(await bench.transport.provision(wanted, 'check')).includes('missing'))
      assert.ok(severities(await bench.transport.provision(wanted, 'check')).includes('missing'))
      await rejectsWith(bench.transport.measure(address), 'unknown-channel')
    },
  },
  {
    name: 'applying creates what is missing and says so',
    catches: ['creates without a word'],
    async run(bench) {
      const address = bench.absent('wanted')
      const wanted = { channels: [{ address, role: 'work' }] } as const
      const applied = severities(await bench.transport.provision(wanted, 'apply'))
      assert.deepEqual([applied.includes('created'), applied.includes('missing')], [true, false])
      await bench.send(address, 'a')
      assert.equal(label((await bench.firstOf(address)).message), 'a')
    },
  },
  {
    name: 'applying twice is the same as applying once',
    catches: ['says created every time'],
    async run(bench) {
      const address = bench.absent('wanted')
      const wanted = { channels: [{ address, role: 'work' }] } as const
      await bench.transport.provision(wanted, 'apply')
      await bench.send(address, 'a', 'b')
      const again = severities(await bench.transport.provision(wanted, 'apply'))
      assert.deepEqual([again.includes('created'), again.includes('missing')], [false, false])
      const checked = severities(await bench.transport.provision(wanted, 'check'))
      assert.deepEqual([checked.includes('missing'), checked.includes('fatal')], [false, false])
      assert.deepEqual(labels(await (await bench.consumer(address)).gather(2)).sort(), ['a', 'b'])
    },
  },
  {
    name: 'applying never alters what is there, and tells what differs',
    catches: ['keeps quiet about differences', 'creates anew what differs'],
    needs: ({ deadLetter }) => deadLetter.native,
    async run(bench) {
      const { work, grave } = await bench.channelWithGrave('work')
      const other = await bench.channel('other', { role: 'dead-letter' })
      await bench.send(work, 'a')
      const changed = { channels: [{ address: work, role: 'work', deadLetterTo: other }] } as const
      const findings = severities(await bench.transport.provision(changed, 'apply'))
      assert.ok(findings.includes('fatal') || findings.includes('warning'), 'A difference was passed over in silence.')
      const original = { channels: [{ address: work, role: 'work', deadLetterTo: grave }] } as const
      const remaining = severities(await bench.transport.provision(original, 'check'))
      assert.deepEqual([remaining.includes('missing'), remaining.includes('fatal')], [false, false])
      assert.equal(label((await bench.firstOf(work)).message), 'a')
    },
    async otherwise(bench) {
      const work = await bench.channel('work')
      const other = await bench.channel('other', { role: 'dead-letter' })
      await bench.send(work, 'a')
      await bench.transport.provision({ channels: [{ address: work, role: 'work', deadLetterTo: other }] }, 'apply')
      assert.equal(label((await bench.firstOf(work)).message), 'a')
    },
  },
  {
    name: 'a dead-letter channel that does not exist is told',
    catches: ['keeps quiet about differences'],
    needs: ({ deadLetter }) => deadLetter.native,
    async run(bench) {
      const channel = { address: bench.absent('work'), role: 'work', deadLetterTo: bench.absent('nowhere') } as const
      await bench.transport.provision({ channels: [channel] }, 'apply')
      const findings = severities(await bench.transport.provision({ channels: [channel] }, 'check'))
      assert.ok(findings.includes('fatal') || findings.includes('missing'), 'A missing dead-letter channel was not told.')
    },
    async otherwise(bench) {
      const work = await bench.channel('work')
      const grave = { address: bench.absent('nowhere'), role: 'dead-letter' } as const
      const wanted = { channels: [{ address: work, role: 'work', deadLetterTo: grave.address } as const, grave] }
      assert.ok(severities(await bench.transport.provision(wanted, 'check')).includes('missing'))
    },
  },
])

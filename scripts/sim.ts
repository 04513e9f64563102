import { parseArgs } from 'node:util'
import { simulate } from '../test/sim/simulate.ts'
import { wholeNumber } from './whole-number.ts'

const usage = `npm run sim -- [--seeds N] [--seed S] [--from F]

  --seeds  how many simulations (default 1000)
  --from   the first seed (default 1)
  --seed   only this one, with its trace

Runs the real runtime on a broker in memory, in virtual time, with faults drawn from the seed: crashes, lost connections, calls that fail before or
after they took effect, a dead-letter channel that refuses, deployments, clock jumps. Then everything heals and must come to an end.`

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    from: { type: 'string', default: '1' },
    seed: { type: 'string' },
    help: { type: 'boolean', default: false },
  },
})

if (values.help) console.log(usage)
else if (values.seed !== undefined) await one(wholeNumber('seed', values.seed, 0))
else await many(wholeNumber('from', values.from, 0), wholeNumber('seeds', values.seeds, 1))

async function one(seed: number): Promise<void> {
  const { violations, trace } = await simulate(seed, undefined, console.log)
  console.log(trace)
  tell(seed, violations)
  console.log(`${violations.length === 0 ? 1 : 0} passed, ${violations.length === 0 ? 0 : 1} failed`)
}

async function many(from: number, seeds: number): Promise<void> {
  const startedAt = performance.now()
  let failed = 0
  for (let seed = from; seed < from + seeds; seed++) {
    const { violations } = await simulate(seed)
    if (violations.length > 0) failed++
    tell(seed, violations)
  }
  const perMinute = Math.round((seeds / (performance.now() - startedAt)) * 60_000)
  console.log(`${seeds} seeds, ${perMinute} a minute`)
  console.log(`${seeds - failed} passed, ${failed} failed`)
}

function tell(seed: number, violations: readonly string[]): void {
  if (violations.length === 0) return
  process.exitCode = 1
  console.log(`seed ${seed}: npm run sim -- --seed ${seed}`)
  for (const violation of violations) console.log(`  ${violation}`)
}

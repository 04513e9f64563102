import { whyPowerStaysOn } from '../power-loss.ts'
import { type PowerRound, powerRounds } from './power-rounds.ts'

/**
 * `node test/faults/embedded/power-loss.run.ts [rounds]`: the embedded queue loses nothing that it acknowledged when the power
 * fails, and a twin with `durability: 'normal'` does, so that the test is known to be able to fail.
 * Ends with 0 when both are so, with 1 when not, and with 2 when it could not be run here.
 */
const rounds = Number(process.argv[2] ?? 20)
const why = whyPowerStaysOn()
if (why !== undefined) {
  console.log(`NOT RUN: ${why}.`)
  process.exit(2)
}
const real = sum('embedded', await powerRounds(rounds, 'full'))
const twin = sum('twin, normal', await powerRounds(rounds, 'normal'))
const asExpected = real.lost === 0 && twin.lost > 0
console.log(asExpected ? 'PASSED' : 'FAILED')
process.exit(asExpected ? 0 : 1)

function sum(name: string, results: readonly PowerRound[]): { lost: number } {
  const total = (key: keyof PowerRound) => results.reduce((all, round) => all + round[key], 0)
  const losing = results.filter((round) => round.lost > 0).length
  console.log(
    `${name}: ${results.length} power losses, ${total('acknowledged')} acknowledged, ${total('lost')} lost in ${losing} of them`,
  )
  return { lost: total('lost') }
}

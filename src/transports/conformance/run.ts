import { systemClock } from '../../platform/clock.ts'
import { openBench } from './bench.ts'
import type { Scenario } from './scenario.ts'
import type { Subject } from './subject.ts'

/** Far above what any scenario needs: a transport that hangs is a transport that fails. */
const limit = 240_000

/** Proves one sentence about one transport, or throws. */
export async function runScenario(subject: Subject, scenario: Scenario): Promise<'run' | 'refusal'> {
  const { clock = systemClock } = subject
  const { promise: tooLong, reject } = Promise.withResolvers<never>()
  const cancel = clock.after(limit, () => reject(new Error(`The scenario did not finish within ${limit} ms.`)))
  try {
    return await Promise.race([play(subject, scenario), tooLong])
  } finally {
    cancel()
  }
}

async function play(subject: Subject, scenario: Scenario): Promise<'run' | 'refusal'> {
  const bench = await openBench(subject)
  try {
    if (scenario.otherwise !== undefined && scenario.needs?.(bench.capabilities) === false) {
      await scenario.otherwise(bench)
      return 'refusal'
    }
    await scenario.run(bench)
    return 'run'
  } finally {
    await bench.close()
  }
}

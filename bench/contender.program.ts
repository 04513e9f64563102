import type { Request } from './contender-process.ts'
import { measure, type PreparedRun, type Sample } from './measure.ts'
import { suites } from './suites.ts'

/** `node contender.program.ts <suite> <scenario> <contender>`: does what the process that forked it asks for, and ends with it. */
const [, , suite = '', scenarioName, contenderName] = process.argv
const scenario = (await suites[suite]?.())?.find(({ name }) => name === scenarioName)
const contender = scenario?.contenders().find(({ name }) => name === contenderName)
if (!contender) throw new Error(`No contender ${contenderName} in ${scenarioName} of ${suite}.`)

let prepared: PreparedRun | undefined
let messages = 0

process.on('message', async (request: Request) => process.send?.(await answer(request)))
process.on('disconnect', () => process.exit())

async function answer(request: Request): Promise<Sample | true> {
  if (request.kind === 'prepare') {
    messages = request.messages
    prepared = await contender?.prepare(messages)
    return true
  }
  if (!prepared) throw new Error('Nothing was prepared.')
  return measure(prepared, messages)
}

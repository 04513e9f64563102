import { systemFiles } from './files.ts'

/** A process that holds a lock until it is killed. */
const unlock = await systemFiles.lock(process.argv[2] ?? '')
process.send?.(unlock ? 'locked' : 'refused')

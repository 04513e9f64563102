import { systemFiles } from './files.ts'

/** A process that holds a lock until it is killed: listening for a word that never comes keeps it and its lock alive. */
const unlock = await systemFiles.lock(process.argv[2] ?? '')
process.on('message', () => unlock?.())
process.send?.(unlock ? 'locked' : 'refused')

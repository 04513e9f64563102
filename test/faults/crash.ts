/** `memory`: takes more than there is, until the kernel ends the process. `kill`: at once, as a supervisor does. */
export type Crash = 'memory' | 'kill'

export function crash(how: Crash): void {
  if (how === 'kill') process.kill(process.pid, 'SIGKILL')
  for (const taken: Buffer[] = []; ; ) taken.push(Buffer.alloc(16 * 1024 * 1024, 1))
}

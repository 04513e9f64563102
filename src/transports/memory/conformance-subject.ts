import { systemClock } from '../../platform/clock.ts'
import { virtualClock } from '../../platform/virtual-clock.ts'
import type { Fragile, Subject } from '../conformance/subject.ts'
import { memory } from './memory.ts'

/** The memory transport for the conformance suite; on a virtual clock that flows by itself, or on the real one. */
export function subject(time: 'virtual' | 'real' = 'virtual'): Subject {
  const virtual = time === 'virtual' ? virtualClock() : undefined
  const stop = virtual?.flow()
  const clock = virtual ?? systemClock
  const first = memory({ clock })
  return {
    name: 'memory',
    clock,
    shortHold: time === 'virtual' ? 1000 : 150,
    quiet: time === 'virtual' ? 100 : 20,
    open: async () => first.connect(),
    async openFragile(): Promise<Fragile> {
      const transport = first.connect()
      return { transport, crash: async () => transport.faults.down() }
    },
    async close() {
      stop?.()
      await first.close()
    },
  }
}

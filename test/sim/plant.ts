import type { Wrapping } from './sim-process.ts'

/** A planted bug: one mistake in a process, in whichever of its parts it can be made. */
export type Plant = Partial<Wrapping>

/** Those who watch see what the runtime asks of its broker, and what reaches the disk. */
export function planted(plant: Plant, watch: Pick<Wrapping, 'transport' | 'files'>): Wrapping {
  return {
    transport: (healthy, clock) => watch.transport(plant.transport?.(healthy, clock) ?? healthy, clock),
    files: (healthy) => plant.files?.(watch.files(healthy)) ?? watch.files(healthy),
    options: (healthy) => plant.options?.(healthy) ?? healthy,
    accompany: (consumer, clock) => plant.accompany?.(consumer, clock),
  }
}

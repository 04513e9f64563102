import { hasCode } from '../../core/errors.ts'
import { type Diagnosis, diagnosisOf, type Patient, type PatientChannel } from '../tools.ts'
import { type Bus, openBus, pathOf } from './bus.ts'
import { durationFrom } from './iso-duration.ts'
import { peek } from './look.ts'
import { resolveOptions, type ServicebusOptions, type Settings } from './options.ts'
import { find, provision } from './provision.ts'
import { entitiesOf } from './sub-queue.ts'

/** Asks the namespace how it does for these channels. It changes nothing. */
export async function examine(options: unknown, { wanted, channels }: Patient): Promise<readonly Diagnosis[]> {
  const settings = resolveOptions(options as ServicebusOptions)
  const bus = await openBus(settings)
  try {
    const found = (await provision(bus, settings, entitiesOf(wanted), 'check')).map(diagnosisOf)
    const rights = await listenDiagnosis(bus, settings, channels)
    const locks = await Promise.all(channels.map((channel) => lockDiagnosis(bus, settings, channel)))
    return [...found, ...rights, ...locks.flat()]
  } finally {
    await bus.close()
  }
}

/** A lock shorter than a handler may run is renewed while it runs; that takes requests, and dies with the process. */
async function lockDiagnosis(bus: Bus, settings: Settings, { wanted, maxHold }: PatientChannel): Promise<Diagnosis[]> {
  const entity = await find(bus, settings, wanted.address)
  if (entity === undefined || entity === 'not-allowed') return []
  const lock = durationFrom(entity.lockDuration)
  const about = pathOf(wanted.address)
  const renewals = Math.ceil(maxHold / lock)
  const message = `A lock lasts for ${lock} ms; it is renewed while a handler runs, up to ${renewals} times.`
  return [{ severity: 'fine', about, what: 'lock-duration', message }]
}

/** Whether messages can be looked at, which is what everything else needs. */
async function listenDiagnosis(bus: Bus, settings: Settings, [first]: readonly PatientChannel[]): Promise<Diagnosis[]> {
  if (!first) return []
  const about = 'namespace'
  try {
    await peek(bus, settings, first.wanted.address, '0', 1)
    return [{ severity: 'fine', about, what: 'listen', message: 'Messages can be looked at.' }]
  } catch (error) {
    if (hasCode(error, 'unknown-channel')) return []
    const message =
      'Messages cannot be looked at: the key or the identity needs the right to listen, and the namespace must answer.'
    return [{ severity: 'fatal', about, what: 'listen-failed', message }]
  }
}

import { describe } from 'vitest'
import { createChanges } from '../../src/ops/changes.ts'
import { type ControlPlaneOptions, createControlPlane, type RunningControlPlane } from '../../src/ops/create-control-plane.ts'
import { shareSources } from '../../src/ops/several/share-sources.ts'

/** How many control planes the shops of this test file have. Without a word it is one; `test/several` says otherwise before it declares the same tests. */
let crew: 'one' | 'two' | 'two that do not hear' = 'one'

export function haveTwo(hear: boolean): void {
  crew = hear ? 'two' : 'two that do not hear'
}

/** Declares what can only be said of one that hears reports and acts on them itself: of two, the other one asks the vault. */
export function describeAlone(name: string, declare: () => void): void {
  if (crew === 'one') describe(name, declare)
}

/** Where there are two, one serves and is what the test uses, and the other one works: what the first is asked for, the second does. A third one collects. */
export function planeUnderTest(options: ControlPlaneOptions): RunningControlPlane {
  if (crew === 'one') return createControlPlane(options)
  const { alerting, ...serving } = options
  const served = createControlPlane({
    ...serving,
    ...(alerting && { rules: alerting.rules, windows: alerting.windows }),
    part: 'serves',
  })
  const works = createControlPlane({ ...options, part: 'works' })
  const { tell, onChange } = createChanges()
  works.onChange(tell)
  served.onChange((change) => {
    tell(change)
    if (crew === 'two') works.heard(change)
  })
  const { vault, clock, draw } = options
  const sharing = shareSources(options.sources, {
    ...{ clock, draw },
    tell(change) {
      tell(change)
      if (crew === 'two') works.heard(change)
    },
  })
  const collecting: Promise<() => Promise<void>>[] = []
  function startCollecting(): void {
    collecting.push(...sharing.shares.map((share) => sharing.work(share, { vault, isOurs: () => true })))
  }
  return {
    ...served,
    ...{ onChange, startCollecting, takeOver: works.takeOver },
    async start() {
      await works.start()
      startCollecting()
    },
    async close() {
      for (const collector of collecting) await (await collector)()
      await works.close()
      await served.close()
    },
  }
}

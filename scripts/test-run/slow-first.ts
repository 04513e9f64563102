import { BaseSequencer, type TestSpecification } from 'vitest/node'

/**
 * What is known to take minutes begins first. A fresh clone remembers no durations, and would go by the size of files: the conformance suites
 * are started by some of the smallest, and at the end one of them ran alone while the other processor had nothing to do.
 */
const slow =
  /\.conformance\.test\.ts$|on-postgres\.test\.ts$|\/test\/(dashboard|brokers|faults|sim|alerts|several)\/|\/test\/control\/(rekey|vault-copy|postgres-outage)\.test\.ts$|\/twins\.test\.ts$/

export class SlowFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files)
    const isSlow = ({ moduleId }: TestSpecification): boolean => slow.test(moduleId)
    return [...sorted.filter(isSlow), ...sorted.filter((file) => !isSlow(file))]
  }
}

import type { Subject } from './subject.ts'
import { closingTwins } from './twins/closing.ts'
import { lookingTwins } from './twins/looking.ts'
import type { Twin } from './twins/planting.ts'
import { provisioningTwins } from './twins/provisioning.ts'
import { receivingTwins } from './twins/receiving.ts'
import { sendingTwins } from './twins/sending.ts'
import { settlingTwins } from './twins/settling.ts'

/** Every planted mistake by its name, which completes the sentence "it …". */
export const twins: Readonly<Record<string, Twin>> = {
  ...receivingTwins,
  ...settlingTwins,
  ...sendingTwins,
  ...lookingTwins,
  ...provisioningTwins,
  ...closingTwins,
}

/** The same subject, except that all its connections make the mistake. */
export function twinOf(subject: Subject, twin: Twin): Subject {
  const plant = twin()
  return {
    ...subject,
    open: async () => plant(await subject.open()),
    async openFragile() {
      const fragile = await subject.openFragile()
      return { ...fragile, transport: plant(fragile.transport) }
    },
  }
}

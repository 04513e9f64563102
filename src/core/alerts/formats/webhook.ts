import type { Notification } from '../notification.ts'
import { fitted } from './fit.ts'
import { mostBytes } from './limits.ts'

/** The notification as it is: its fields are documented, and new ones may come under the same version. */
export function webhookBody(notification: Notification): string {
  return fitted(notification, mostBytes.webhook, (shorter) => JSON.stringify(shorter))
}

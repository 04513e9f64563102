import { utf8Length } from '../../headers.ts'
import type { Notification } from '../notification.ts'

/**
 * What `write` makes of the notification, in at most so many bytes. Alerts are left out from the end of the list until it fits, and counted among
 * those that are not listed; what is left has limits of its own and always fits.
 */
export function fitted(notification: Notification, bytes: number, write: (notification: Notification) => string): string {
  for (let listed = notification.alerts.length; ; listed--) {
    const written = write(shortened(notification, listed))
    if (listed === 0 || utf8Length(written) <= bytes) return written
  }
}

function shortened(notification: Notification, listed: number): Notification {
  const { alerts, more } = notification
  return { ...notification, alerts: alerts.slice(0, listed), more: more + alerts.length - listed }
}

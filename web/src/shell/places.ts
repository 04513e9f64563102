import type { Right } from '../../../src/server/rights.ts'

export interface Place {
  readonly name: string
  readonly path: string
  /** Without it there is nothing to see there. */
  readonly need?: Right
}

/** Where one can go, in the order of the menu. */
export const places: readonly Place[] = [
  { name: 'Inbox', path: '/' },
  { name: 'Overview', path: '/overview' },
  { name: 'Letters', path: '/letters' },
  { name: 'Replays', path: '/replays' },
  { name: 'Alerts', path: '/alerts' },
  { name: 'Sources', path: '/sources' },
  { name: 'Consumers', path: '/consumers' },
  { name: 'Audit', path: '/audit', need: 'audit:read' },
  { name: 'People', path: '/people', need: 'users:manage' },
  { name: 'Your permissions', path: '/permissions' },
]

/** What stands beside alerts, on the pages about them. */
export const alertPlaces: readonly Place[] = [
  { name: 'Alerts', path: '/alerts' },
  { name: 'Silences', path: '/alerts/silences' },
  { name: 'Rules', path: '/alerts/rules' },
  { name: 'Notifiers', path: '/alerts/notifiers' },
]

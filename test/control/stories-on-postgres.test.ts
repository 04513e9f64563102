import { onPostgres } from './on-postgres.ts'

/** What runs in real time, or asks and waits for the answer. On a virtual clock hours pass while a server has not answered yet. */
await onPostgres({
  'From the first letter to the last': () => import('./recovery.test.ts'),
  'Consumers that report': () => import('./reporting.test.ts'),
  Plans: () => import('./preview-and-seal.test.ts'),
  'Triage rules': () => import('./triage.test.ts'),
  'How sources went': () => import('./source-trends.test.ts'),
  'What is found about sources': () => import('./source-findings.test.ts'),
})

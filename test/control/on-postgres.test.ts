import { onPostgres } from './on-postgres.ts'

await onPostgres({
  'Keeping letters': () => import('./ingest.test.ts'),
  Conservation: () => import('./conservation.test.ts'),
  Filters: () => import('./filters-in-sql.test.ts'),
  Pages: () => import('./paging.test.ts'),
  'Words in bodies': () => import('./bodies.test.ts'),
  'Merged and split causes': () => import('./regrouping.test.ts'),
  'Scheduled replays': () => import('./scheduled-replays.test.ts'),
  'Interrupted replays': () => import('./interrupted-replay.test.ts'),
  Retention: () => import('./retention.test.ts'),
  'What is forgotten': () => import('./forgetting.test.ts'),
  'What consumers report': () => import('./reports.test.ts'),
})

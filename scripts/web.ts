import { buildWeb } from './build-web.ts'

/** Before `npm start` and `npm pack`: the dashboard as it is served. */
await buildWeb((text) => console.error(`redrive: ${text}`))

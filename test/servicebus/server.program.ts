import { type ServerOptions, startServer } from './server.ts'

/** The test server in a process of its own, which can be killed. Its options come as JSON in the first argument. */
await startServer(JSON.parse(process.argv[2] ?? '{}') as ServerOptions)

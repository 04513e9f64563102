import { afterAll } from 'vitest'
import { servicebusSubject } from '../../../test/brokers/servicebus-subjects.ts'
import { startServer } from '../../../test/servicebus/server.ts'
import { conformance } from '../conformance/conformance.ts'

const server = await startServer({ expiry: 'eager' })
afterAll(() => server.stop())

conformance(servicebusSubject(server, false))

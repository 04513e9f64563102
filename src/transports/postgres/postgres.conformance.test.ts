import { onBrokers } from '../../../test/brokers/on-brokers.ts'
import { postgresSubject, postgresVersions } from '../../../test/brokers/postgres-subjects.ts'
import { conformance } from '../conformance/conformance.ts'

await onBrokers('postgres', postgresVersions, (broker) => conformance(postgresSubject(broker)))

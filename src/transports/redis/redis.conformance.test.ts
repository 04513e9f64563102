import { onBrokers } from '../../../test/brokers/on-brokers.ts'
import { redisSubject, redisVersions } from '../../../test/brokers/redis-subjects.ts'
import { conformance } from '../conformance/conformance.ts'

await onBrokers('redis', redisVersions, (broker) => conformance(redisSubject(broker)))

import { onBrokers } from '../../../test/brokers/on-brokers.ts'
import { rocketmqSubject, rocketmqVersions } from '../../../test/brokers/rocketmq-subjects.ts'
import { conformance } from '../conformance/conformance.ts'

await onBrokers('rocketmq', rocketmqVersions, (broker) => conformance(rocketmqSubject(broker, 'normal')))

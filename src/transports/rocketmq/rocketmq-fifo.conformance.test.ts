import { onBrokers } from '../../../test/brokers/on-brokers.ts'
import { rocketmqSubject, rocketmqVersions } from '../../../test/brokers/rocketmq-subjects.ts'
import { conformance } from '../conformance/conformance.ts'

// Topics for delays differ from normal ones in their sends alone, of which rocketmq.test.ts shows one: `npm run conformance -- rocketmq` runs all three.
await onBrokers('rocketmq', rocketmqVersions, (broker) => conformance(rocketmqSubject(broker, 'fifo')))

import { kafkaSubject, kafkaVersions } from '../../../test/brokers/kafka-subjects.ts'
import { onBrokers } from '../../../test/brokers/on-brokers.ts'
import { conformance } from '../conformance/conformance.ts'

await onBrokers('kafka', kafkaVersions, (broker) => conformance(kafkaSubject(broker)))

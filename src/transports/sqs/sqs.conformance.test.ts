import { onBrokers } from '../../../test/brokers/on-brokers.ts'
import { elasticmqVersions, queueKinds, sqsSubject } from '../../../test/brokers/sqs-subjects.ts'
import { conformance } from '../conformance/conformance.ts'

await onBrokers('elasticmq', elasticmqVersions, (broker) => {
  for (const queues of queueKinds) conformance(sqsSubject(broker, queues))
})

import { onBrokers } from '../../../test/brokers/on-brokers.ts'
import { rabbitmqSubject } from '../../../test/brokers/rabbitmq-subjects.ts'
import { conformance } from '../conformance/conformance.ts'

await onBrokers('rabbitmq', ['4.0'], async (broker) => {
  conformance(await rabbitmqSubject(broker, 'quorum'))
  conformance(await rabbitmqSubject(broker, 'classic'))
})

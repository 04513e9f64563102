import { afterAll, expect, test } from 'vitest'
import { brokerForTests } from '../../../test/brokers/broker-for-tests.ts'
import { kafkaSubject } from '../../../test/brokers/kafka-subjects.ts'
import { conformance } from '../conformance/conformance.ts'

const broker = await brokerForTests('kafka', '4.3.1')

if ('notRun' in broker) test(broker.notRun, () => expect(process.env['CI']).toBeFalsy())
else {
  conformance(kafkaSubject(broker))
  afterAll(() => broker.stop())
}

import { afterAll, expect, test } from 'vitest'
import { brokerForTests } from '../../../test/brokers/broker-for-tests.ts'
import { rabbitmqSubject } from '../../../test/brokers/rabbitmq-subjects.ts'
import { conformance } from '../conformance/conformance.ts'

const broker = await brokerForTests('rabbitmq', '3.10')

if ('notRun' in broker) test(broker.notRun, () => expect(process.env['CI']).toBeFalsy())
else {
  conformance(await rabbitmqSubject(broker, 'quorum'))
  conformance(await rabbitmqSubject(broker, 'classic'))
  afterAll(() => broker.stop())
}

import type { DialectWriter } from '../letter.ts'
import { brighter } from './brighter.ts'
import { kafkaConnect } from './kafka-connect.ts'
import { onex } from './onex.ts'
import { redrive } from './redrive.ts'
import { springKafka } from './spring-kafka.ts'

export type DialectName = 'redrive' | 'onex' | 'brighter' | 'spring-kafka' | 'kafka-connect'

export const dialectWriters: Readonly<Record<DialectName, DialectWriter>> = {
  redrive,
  onex,
  brighter,
  'spring-kafka': springKafka,
  'kafka-connect': kafkaConnect,
}

import type { DialectWriter } from '../letter.ts'
import { brighter } from './brighter.ts'
import { onex } from './onex.ts'
import { redrive } from './redrive.ts'

export type DialectName = 'redrive' | 'onex' | 'brighter'

export const dialectWriters: Readonly<Record<DialectName, DialectWriter>> = { redrive, onex, brighter }

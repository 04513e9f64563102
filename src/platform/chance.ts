import { randomUUID } from 'node:crypto'
import type { NewId, Random } from '../core/ports.ts'

export const systemRandom: Random = () => Math.random()
export const newUuid: NewId = () => randomUUID()

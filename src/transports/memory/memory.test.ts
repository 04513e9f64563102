import { conformance } from '../conformance/conformance.ts'
import { memorySubject } from './memory-subject.ts'

conformance(memorySubject())

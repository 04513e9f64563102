import { conformance } from '../conformance/conformance.ts'
import { subject } from './conformance-subject.ts'

conformance(subject())

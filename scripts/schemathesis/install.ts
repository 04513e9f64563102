import { fileURLToPath } from 'node:url'
import { pythonEnvironment } from '../brokers/python-environment.ts'

const environment = pythonEnvironment('schemathesis', fileURLToPath(new URL('requirements.txt', import.meta.url)))

export const installSchemathesis: () => Promise<void> = environment.install
export const findSchemathesis: () => string | undefined = environment.find

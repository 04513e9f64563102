import { fileURLToPath } from 'node:url'
import { pythonEnvironment } from './python-environment.ts'

const requirements = fileURLToPath(new URL('azure-python/requirements.txt', import.meta.url))
const environment = pythonEnvironment('azure-servicebus', requirements)

/** Microsoft's SDK for Python, which shares no code with the one that we use: by it the test server is seen from the other side. */
export class MissingAzurePython extends Error {
  constructor() {
    super("Microsoft's SDK for Python is not on this machine. Get it with: npm run brokers -- install azure-python")
    this.name = 'MissingAzurePython'
  }
}

export const installAzurePython: () => Promise<void> = environment.install
export const findAzurePython: () => string | undefined = environment.find

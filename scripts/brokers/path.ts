import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** The full name of a program on PATH, or `undefined`. */
export function onPath(program: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, program))
    .find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}

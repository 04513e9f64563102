import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { RedriveError } from '../../core/errors.ts'
import type { Terminal } from '../terminal.ts'

/**
 * Lets a person change a text in their editor. It stands in a folder and a file that nobody else may read, for as long as the editor is open.
 * The editor is started as a program with arguments: no shell sees its name or that of the file.
 */
export async function edited(text: string, ending: string, { environment, folder }: Terminal): Promise<string> {
  const wanted = environment['VISUAL'] || environment['EDITOR'] || ''
  const [program, ...given] = wanted.split(/\s+/).filter((part) => part !== '')
  if (program === undefined) throw new RedriveError('bad-option', 'No editor is known: set EDITOR, or give --body-file.')
  const own = await mkdtemp(join(tmpdir(), 'redrive-edit-'))
  try {
    const file = join(own, `body${ending}`)
    await writeFile(file, text, { mode: 0o600, flag: 'wx' })
    await ended(program, [...given, file], folder)
    return await readFile(file, 'utf8')
  } finally {
    await rm(own, { recursive: true, force: true })
  }
}

function ended(program: string, args: readonly string[], folder: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const editor = spawn(program, args, { cwd: folder, stdio: 'inherit', shell: false })
    editor.on('error', (cause) => reject(new RedriveError('bad-option', `The editor ${program} cannot be started.`, { cause })))
    editor.on('exit', (code) => {
      if (code === 0) resolve()
      else reject(new RedriveError('nothing-to-do', `The editor ended with ${code ?? 'a signal'}. Nothing was changed.`))
    })
  })
}

#!/usr/bin/env node
import { relative } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { systemClock } from '../platform/clock.ts'
import { run } from './program.ts'
import type { Terminal } from './terminal.ts'

/** The command line. No top-level await, so that the launcher can load it on any Node that can run it. */
const { stdin, stdout, stderr } = process
const ownName = startedAs()
// Whoever reads our output may stop reading at any time.
for (const stream of [stdout, stderr]) stream.on('error', () => {})

/** The sources are started by whoever has no command of that name, on the Node that came with them. */
function startedAs(): string | undefined {
  const [node, program] = process.argv.slice(0, 2).map((path) => relative(process.cwd(), path))
  return program?.endsWith('.ts') ? `${node} ${program}` : undefined
}

/** Questions go where progress goes, so that output into a file holds nothing but the output. */
async function ask(question: string): Promise<string> {
  const lines = createInterface({ input: stdin, output: stderr })
  try {
    return await lines.question(question)
  } finally {
    lines.close()
  }
}

function onInterrupt(listener: () => void): () => void {
  process.on('SIGINT', listener)
  return () => void process.off('SIGINT', listener)
}

/** A reader that goes away never lets us hear that it is ready. */
function drained(): Promise<void> {
  if (!stdout.writableNeedDrain) return Promise.resolve()
  return new Promise((resolve) => {
    for (const event of ['drain', 'close', 'error']) stdout.once(event, () => resolve())
  })
}

const terminal: Terminal = {
  environment: process.env,
  folder: process.cwd(),
  clock: systemClock,
  out: (text) => void stdout.write(text),
  err: (text) => void stderr.write(text),
  drained,
  onInterrupt,
  ...(ownName !== undefined && { startedAs: ownName }),
  ...(stdout.isTTY && { columns: stdout.columns }),
  ...(stdin.isTTY && stderr.isTTY && { ask }),
}

void run(process.argv.slice(2), terminal).then((status) => {
  process.exitCode = status
})

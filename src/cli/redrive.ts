#!/usr/bin/env node
import { run } from './program.ts'

/** The command line. No top-level await, so that the launcher can load it on any Node that can run it. */
// Whoever reads our output may stop reading at any time.
for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
void run(process.argv.slice(2), {
  environment: process.env,
  folder: process.cwd(),
  out: (text) => void process.stdout.write(text),
  err: (text) => void process.stderr.write(text),
}).then((status) => {
  process.exitCode = status
})

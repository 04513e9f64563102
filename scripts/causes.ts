import { type LabelledError, parts, readPart, type Score, score } from '../test/corpus/causes/score.ts'

/** Prints how well errors are grouped, for each part of the corpus and for all of it; with --details also what went wrong. */
const details = process.argv.includes('--details')

function report(name: string, errors: readonly LabelledError[]): void {
  const result = score(errors)
  console.log([name.padEnd(8), figures(result)].join('  '))
  if (!details) return
  for (const names of result.merged) console.log(`          merged: ${names}`)
  for (const name of result.split) console.log(`          split: ${name}`)
}

function figures({ errors, causes, precision, recall }: Score): string {
  return `${errors} errors of ${causes} causes: precision ${precision.toFixed(3)}, recall ${recall.toFixed(3)}`
}

for (const part of parts) report(part, readPart(part))
report('all', parts.flatMap(readPart))

import { writeFileSync } from 'node:fs'
import { compareFiles, comparePages } from './checks/documents.ts'

/** Writes the generated parts of the pages anew; with --check it only says which ones are stale. */
const checkOnly = process.argv.includes('--check')
const stale = [...(await comparePages()), ...(await compareFiles())].filter(({ found, wanted }) => found !== wanted)

for (const { path, wanted } of stale) {
  if (!checkOnly) writeFileSync(path, wanted)
  console.log(checkOnly ? `${path} is stale: run npm run docs` : `wrote ${path}`)
}
if (stale.length === 0) console.log('every generated part is up to date')
process.exitCode = checkOnly && stale.length > 0 ? 1 : 0

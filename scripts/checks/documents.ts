import { existsSync, readFileSync } from 'node:fs'
import { publishedSchema } from '../../src/config/json-schema.ts'
import { capabilitiesOf, transportNames } from '../../src/transports/registry.ts'
import { adrIndex } from './adr-index.ts'
import { apiDocument } from './api-document.ts'
import { apiTypes } from './api-types.ts'
import { capabilityTable } from './capability-table.ts'
import { cliHelp } from './cli-help.ts'
import { configTable } from './config-table.ts'
import { conformanceMatrix } from './conformance-matrix.ts'
import { readRecord } from './conformance-record.ts'
import { dialectTable } from './dialect-table.ts'
import { errorPages } from './error-advice.ts'
import { exitCodeTable } from './exit-code-table.ts'
import { filterTable } from './filter-table.ts'
import { withSections } from './generated-sections.ts'
import { placeholderTable } from './placeholder-table.ts'
import { rightsTable, statusTable } from './rights-table.ts'
import { ruleTable } from './rule-table.ts'
import { shownExample } from './shown-example.ts'
import { sourceFiles } from './source-files.ts'

/** Every page with a generated part. */
export const generatedPages: readonly string[] = [
  'README.md',
  'docs/errors.md',
  'docs/adr/README.md',
  'docs/cli.md',
  'docs/configuration-file.md',
  'docs/dialects.md',
  'docs/causes.md',
  'docs/filters.md',
  'docs/batches.md',
  'docs/claim-check.md',
  'docs/api.md',
  'docs/security.md',
  'docs/alerts.md',
]

export interface Page {
  readonly path: string
  readonly found: string
  readonly wanted: string
}

/** Each page as it is and as the code says it must be. */
export async function comparePages(): Promise<readonly Page[]> {
  const contents = await sections()
  return generatedPages.map((path) => {
    const found = readFileSync(path, 'utf8')
    return { path, found, wanted: withSections(found, contents) }
  })
}

/** Each file that is generated as a whole, as it is and as the code says it must be. */
export async function compareFiles(): Promise<readonly Page[]> {
  const wanted = [
    ['docs/redrive.schema.json', `${JSON.stringify(publishedSchema(), null, 2)}\n`],
    ['web/src/api/api-types.ts', apiTypes(await apiDocument())],
  ] as const
  return wanted.map(([path, text]) => ({ path, found: existsSync(path) ? readFileSync(path, 'utf8') : '', wanted: text }))
}

async function sections(): Promise<ReadonlyMap<string, string>> {
  const capabilities = await Promise.all(transportNames.map(async (name) => [name, await capabilitiesOf(name)] as const))
  return new Map([
    ['first-consumer', exampleOf('01-first-consumer')],
    ['batches', exampleOf('04-batches')],
    ['claim-check', exampleOf('05-claim-check')],
    ['capabilities', capabilityTable(capabilities)],
    ['errors', errorPages()],
    ['rights', rightsTable()],
    ['statuses', statusTable()],
    ['alert-rules', ruleTable()],
    ['dialects', dialectTable()],
    ['placeholders', placeholderTable()],
    ['filter-fields', filterTable()],
    ['cli-help', cliHelp()],
    ['config-options', configTable()],
    ['exit-codes', exitCodeTable()],
    ['conformance', conformanceMatrix(readRecord())],
    ['decisions', adrIndex(sourceFiles('docs/adr', '.md'))],
  ])
}

function exampleOf(folder: string): string {
  return `\`\`\`ts\n${shownExample(readFileSync(`examples/${folder}/main.ts`, 'utf8'))}\n\`\`\``
}

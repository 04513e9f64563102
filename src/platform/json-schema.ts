import { Ajv, type ErrorObject, type Options } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import type { BodyCheck, SchemaMistake } from '../core/body-check.ts'

/** More than a person mends at once, and few enough to be shown. */
const mostMistakes = 100

/** Words that no vocabulary knows are refused: a rule with a slip of the pen would hold for everything. */
const options: Options = { allErrors: true, strict: true, strictTypes: false, strictTuples: false, strictRequired: false }

/** Draft 7, which the schema then names, or 2020-12. Throws where it is no schema. */
export function compileSchema(schema: object): BodyCheck {
  const named = '$schema' in schema ? String(schema.$schema) : ''
  const ajv = /\/draft-07\//.test(named) ? new Ajv(options) : new Ajv2020(options)
  formats.default(ajv)
  const validate = ajv.compile(schema)
  return (value) => (validate(value) ? [] : (validate.errors ?? []).slice(0, mostMistakes).map(mistakeOf))
}

function mistakeOf({ instancePath, schemaPath, message = 'is not allowed', params }: ErrorObject): SchemaMistake {
  const tooMuch: unknown = params['additionalProperty'] ?? params['unevaluatedProperty']
  const at = typeof tooMuch === 'string' ? `${instancePath}/${tooMuch.replaceAll('~', '~0').replaceAll('/', '~1')}` : instancePath
  return { at, rule: schemaPath, text: message }
}

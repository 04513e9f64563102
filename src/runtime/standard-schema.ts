/**
 * The part of the Standard Schema interface (version 1) that a consumer needs: any validator that implements it fits, Zod,
 * Valibot and ArkType among them.
 */
export interface StandardSchema<Output = unknown> {
  readonly '~standard': {
    readonly version: 1
    readonly vendor: string
    readonly validate: (value: unknown) => ValidationResult<Output> | Promise<ValidationResult<Output>>
    readonly types?: { readonly input: unknown; readonly output: Output } | undefined
  }
}

export type ValidationResult<Output> =
  | { readonly value: Output; readonly issues?: undefined }
  | { readonly issues: readonly ValidationIssue[] }

export interface ValidationIssue {
  readonly message: string
  readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined
}

/**
 * Where a value is wrong, without saying what stands there: validators quote the value in their messages, and a payload must
 * not leave through an error.
 */
export function issuePaths(issues: readonly ValidationIssue[]): string {
  const paths = issues.slice(0, 5).map((issue) => issue.path?.map(segmentText).join('.') || '(root)')
  const more = issues.length > paths.length ? ` and ${issues.length - paths.length} more` : ''
  return `${paths.join(', ')}${more}`
}

function segmentText(segment: PropertyKey | { readonly key: PropertyKey }): string {
  return String(typeof segment === 'object' ? segment.key : segment)
}

/**
 * What whoever reports a consumer was given: another one may not report it who was given less. Null where nobody has said so since: code of before does not
 * write it, and leaves what stands there.
 */
export const reporterScopesVersion = (): string => `
  ALTER TABLE consumers ADD COLUMN scopes TEXT;
`

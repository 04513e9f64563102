import { describe, expect, it } from 'vitest'
import { type SensitivePattern, sensitiveShapes, sensitiveWords } from './sensitive-patterns.ts'

const letters = (count: number): string => 'aB3'.repeat(count).slice(0, count)

/** For each pattern: what it must find, and the nearest thing that it must leave alone. */
const examples: Readonly<Record<string, { readonly found: readonly string[]; readonly left: readonly string[] }>> = {
  password: { found: ['Password: x'], left: ['pass word'] },
  secret: { found: ['client_SECRET=x'], left: ['sacred'] },
  token: { found: ['refresh Token'], left: ['taken'] },
  api_key: { found: ['api_key', 'apikey', 'API-Key', 'api key'], left: ['api__key', 'api.key'] },
  bearer: { found: ['Bearer x'], left: ['bear'] },
  credential: { found: ['credentials'], left: ['credit'] },
  'postgres://': { found: ['postgres://', 'postgresql://'], left: ['postgres:/', 'postgressql://'] },
  'mongodb://': { found: ['mongodb://', 'mongodb+srv://'], left: ['mongodb+tls://', 'mongodb:/'] },
  'mysql://': { found: ['MySQL://'], left: ['mysql:/'] },
  'redis://': { found: ['redis://', 'rediss://'], left: ['redisss://', 'redi://'] },
  '-----BEGIN': { found: ['-----BEGIN RSA'], left: ['----BEGIN'] },
  private_key: { found: ['private_key', 'privatekey', 'Private Key', 'private-key'], left: ['private__key'] },
  access_key: { found: ['AccessKey', 'access_key', 'access-key'], left: ['access__key'] },
  'AccountKey=': { found: ['AccountKey=', 'account_key : x'], left: ['AccountKey', 'account  key='] },
  SharedAccessSignature: { found: ['SharedAccessSignature', 'shared_access-signature'], left: ['shared__accesssignature'] },
  passwd: { found: ['passwd', 'passphrase'], left: ['passway'] },
  'pwd=': { found: ['pwd=x', 'Pwd : x'], left: ['pwd', 'pwd/x='] },
  Authorization: { found: ['Authorization: x', 'authorization = x'], left: ['authorization failed'] },
  Cookie: { found: ['Set-Cookie: x', 'cookie =x'], left: ['cookie jar'] },
  'AWS key id': {
    found: [`AKIA${'A1'.repeat(8)}`, `ASIA${'A1'.repeat(8)}`],
    left: [`AKIA${'A1'.repeat(7)}A`, `ABIA${'A1'.repeat(8)}`],
  },
  'GitHub token': {
    found: ['p', 'o', 'u', 's', 'r'].map((kind) => `gh${kind}_${letters(16)}`),
    left: [`ghp_${letters(15)}`, `ghx_${letters(16)}`],
  },
  'GitHub fine-grained token': { found: [`github_pat_${letters(15)}_`], left: [`github_pat_${letters(15)}`] },
  'GitLab token': { found: [`glpat-${letters(14)}-_`], left: [`glpat-${letters(15)}`] },
  'npm token': { found: [`npm_${letters(30)}`], left: [`npm_${letters(29)}`] },
  'Slack token': { found: ['xoxb-1', 'xoxp-a'], left: ['xox1-1', 'xoxb-'] },
  'Slack webhook': {
    found: ['https://hooks.slack.com/services/T0'],
    left: ['hooks-slack.com/services/', 'hooks.slack.com/help'],
  },
  'Google key': { found: [`AIza${letters(28)}-_`], left: [`AIza${letters(29)}`] },
  'Google access': { found: [`ya29.${letters(14)}-_`], left: [`ya29.${letters(15)}`, `ya29x${letters(16)}`] },
  'Stripe key': {
    found: [`sk_live_${letters(8)}`, `rk_test_${letters(8)}`],
    left: [`pk_live_${letters(8)}`, `sk_demo_${letters(8)}`, `sk_live_${letters(7)}`],
  },
  'Stripe webhook': { found: [`whsec_${letters(16)}`], left: [`whsec_${letters(15)}`] },
  'sk- key': { found: [`sk-${letters(18)}-_`], left: [`sk-${letters(19)}`] },
  'SendGrid key': { found: [`SG.${letters(14)}-_`], left: [`SG.${letters(15)}`, `SGx${letters(16)}`] },
  'Vault lease': { found: [`hvs.${letters(20)}`, `hvb.${letters(18)}-_`], left: [`hvs.${letters(19)}`, `hvr.${letters(20)}`] },
  JWT: { found: [`eyJ${letters(6)}-_`], left: [`eyJ${letters(7)}`, `eyj${letters(8)}`] },
  'Basic credentials': {
    found: [`Basic ${letters(8)}=`, `Basic ${letters(6)}+/==`],
    left: [`Basic ${letters(8)}`, `Basic ${letters(7)}=`, `Basic  ${letters(8)}=`],
  },
  'US social security number': {
    found: ['078-05-1120', 'ssn 899-99-9999.'],
    left: [
      '000-12-3456',
      '666-12-3456',
      '900-12-3456',
      '123-00-4567',
      '123-45-0000',
      '1078-05-1120',
      '078-05-11203',
      '78-05-1120',
      '078-5-1120',
    ],
  },
}

describe.each([...sensitiveWords, ...sensitiveShapes])('$name', ({ name, pattern, why }: SensitivePattern) => {
  const { found = [], left = [] } = examples[name] ?? {}

  it('says why it is here, and has examples', () => {
    expect([why.length > 0, found.length > 0, left.length > 0]).toEqual([true, true, true])
  })

  it.each(found)('is found in %s', (text) => {
    expect(pattern.test(text)).toBe(true)
  })

  it.each(left)('is not %s', (text) => {
    expect(pattern.test(text)).toBe(false)
  })
})

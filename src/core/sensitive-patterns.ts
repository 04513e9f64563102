/**
 * What makes a text sensitive. One row per pattern, with the reason why it is here.
 *
 * Every pattern must be linear on any input, because error texts are written by whoever sent the message: quantifiers are
 * bounded, or they stand where no second match can start before the first one ends.
 */
export interface SensitivePattern {
  readonly name: string
  readonly why: string
  readonly pattern: RegExp
}

/** Words that announce a secret. Letter case never matters. They may stand in the name of an error class, where they announce nothing. */
export const sensitiveWords: readonly SensitivePattern[] = [
  { name: 'password', pattern: /password/i, why: 'Seed 003. What follows it is most likely the password.' },
  { name: 'secret', pattern: /secret/i, why: 'Seed 003. Also covers client_secret and the secret access keys of clouds.' },
  { name: 'token', pattern: /token/i, why: 'Seed 003. Access, refresh and session tokens.' },
  { name: 'api_key', pattern: /api[_ -]?key/i, why: 'Seed 003, in all its spellings: api_key, apikey, api-key.' },
  { name: 'bearer', pattern: /bearer/i, why: 'Seed 003. The scheme of an Authorization header.' },
  { name: 'credential', pattern: /credential/i, why: 'Seed 003.' },
  { name: 'postgres://', pattern: /postgres(?:ql)?:\/\//i, why: 'Seed 003. Drivers print the whole connection string.' },
  { name: 'mongodb://', pattern: /mongodb(?:\+srv)?:\/\//i, why: 'Seed 003. Also the +srv form of hosted clusters.' },
  { name: 'mysql://', pattern: /mysql:\/\//i, why: 'Seed 003.' },
  { name: 'redis://', pattern: /rediss?:\/\//i, why: 'Seed 003. Also the form with TLS.' },
  { name: '-----BEGIN', pattern: /-----BEGIN/i, why: 'Seed 003. The first line of every PEM block.' },
  { name: 'private_key', pattern: /private[_ -]?key/i, why: 'Seed 003, in all its spellings.' },
  { name: 'access_key', pattern: /access[_ -]?key/i, why: 'AWS and Azure name their keys so; covers SharedAccessKey.' },
  { name: 'AccountKey=', pattern: /account[_ -]?key\s*[=:]/i, why: 'Azure storage connection strings.' },
  {
    name: 'SharedAccessSignature',
    pattern: /shared[_ -]?access[_ -]?signature/i,
    why: 'Azure connection strings that hold a signature.',
  },
  { name: 'passwd', pattern: /passwd|passphrase/i, why: 'Other words for a password.' },
  { name: 'pwd=', pattern: /pwd\s*[=:]/i, why: 'How ODBC and SQL Server connection strings spell it; bare pwd is a directory.' },
  { name: 'Authorization', pattern: /authorization\s*[:=]/i, why: 'A header printed whole, with whatever scheme.' },
  { name: 'Cookie', pattern: /cookie\s*[:=]/i, why: 'A session travels in it; covers Set-Cookie.' },
]

/** The shapes of secrets themselves, as scanners of source code know them. Letter case matters: it is part of the shape. */
export const sensitiveShapes: readonly SensitivePattern[] = [
  { name: 'AWS key id', pattern: /(?:AKIA|ASIA)[A-Z0-9]{16}/, why: 'Long-lived and temporary access keys of AWS.' },
  { name: 'GitHub token', pattern: /gh[pousr]_[A-Za-z0-9]{16}/, why: 'Personal, OAuth, user, server and refresh tokens.' },
  { name: 'GitHub fine-grained token', pattern: /github_pat_[A-Za-z0-9_]{16}/, why: 'The newer kind of personal token.' },
  { name: 'GitLab token', pattern: /glpat-[A-Za-z0-9_-]{16}/, why: 'Personal tokens of GitLab.' },
  { name: 'npm token', pattern: /npm_[A-Za-z0-9]{30}/, why: 'Publishing rights to a registry.' },
  { name: 'Slack token', pattern: /xox[a-z]-[A-Za-z0-9]/, why: 'Bot, user, app and refresh tokens of Slack.' },
  { name: 'Slack webhook', pattern: /hooks\.slack\.com\/services\//, why: 'Whoever has the address may post.' },
  { name: 'Google key', pattern: /AIza[A-Za-z0-9_-]{30}/, why: 'API keys of Google.' },
  { name: 'Google access', pattern: /ya29\.[A-Za-z0-9_-]{16}/, why: 'OAuth access of Google.' },
  { name: 'Stripe key', pattern: /[rs]k_(?:live|test)_[A-Za-z0-9]{8}/, why: 'Secret and restricted keys of Stripe.' },
  { name: 'Stripe webhook', pattern: /whsec_[A-Za-z0-9]{16}/, why: 'Signs the webhooks of Stripe.' },
  { name: 'sk- key', pattern: /sk-[A-Za-z0-9_-]{20}/, why: 'Keys of the vendors of language models.' },
  { name: 'SendGrid key', pattern: /SG\.[A-Za-z0-9_-]{16}/, why: 'Sends mail in the name of its owner.' },
  { name: 'Vault lease', pattern: /hv[bs]\.[A-Za-z0-9_-]{20}/, why: 'Service and batch access of HashiCorp Vault.' },
  {
    name: 'JWT',
    pattern: /eyJ[A-Za-z0-9_-]{8}/,
    why: 'The base64 of an opening brace and a quote: a JWT, or JSON that somebody encoded. A torn one counts too, so no dots are asked for.',
  },
  { name: 'Basic credentials', pattern: /Basic [A-Za-z0-9+/]{8,128}={1,2}/, why: 'A name and a password in base64.' },
  {
    name: 'US social security number',
    pattern: /(?<!\d)(?!000|666|9)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?!\d)/,
    why: 'Identifies a person. The groups that were never issued are left out.',
  },
]

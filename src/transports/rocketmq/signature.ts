import { Buffer } from 'node:buffer'
import { createHmac } from 'node:crypto'
import type { Question } from './remoting-format.ts'

/** Whoever asks, where servers want to know it (ACL). The secret itself is never sent. */
export interface Credentials {
  readonly accessKey: string
  readonly secretKey: string
}

/** What a proxy is told with every call: it checks that the time was signed. */
export function signedTime({ accessKey, secretKey }: Credentials, now: number): ReadonlyMap<string, string> {
  const time = new Date(now).toISOString().replaceAll(/[-:]|\.\d+/g, '')
  const signature = createHmac('sha1', secretKey).update(time).digest('hex').toUpperCase()
  return new Map([
    ['x-mq-date-time', time],
    ['authorization', `MQv2-HMAC-SHA1 Credential=${accessKey}, SignedHeaders=x-mq-date-time, Signature=${signature}`],
  ])
}

/** What brokers and name servers are told: the values of all fields in the order of their names, and the body, are signed. */
export function signedQuestion(question: Question, { accessKey, secretKey }: Credentials): Question {
  const fields: Readonly<Record<string, string>> = { ...question.fields, AccessKey: accessKey }
  const values = Object.keys(fields)
    .sort()
    .map((name) => fields[name] ?? '')
  const hmac = createHmac('sha1', secretKey)
    .update(values.join(''))
    .update(question.body ?? Buffer.alloc(0))
  return { ...question, fields: { ...fields, Signature: hmac.digest('base64') } }
}

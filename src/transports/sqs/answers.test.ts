import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type SqsOptions, sqs } from './sqs.ts'

const message = { id: 'a', body: Buffer.from('secret'), headers: [] }
const nowhere = { name: 'work' }

/** A server that answers the first questions properly, and sends in a way of its own. */
async function serverThat(answersSend: (response: ServerResponse) => void): Promise<string> {
  const server = createServer((request, response) => {
    const verb = String(request.headers['x-amz-target']).split('.').pop()
    request.resume()
    if (verb === 'GetQueueUrl') respond(response, 200, { QueueUrl: 'http://127.0.0.1/queue/work' })
    else if (verb === 'GetQueueAttributes') respond(response, 200, { Attributes: { MaximumMessageSize: '2048' } })
    else answersSend(response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
}

function respond(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, { 'content-type': 'application/x-amz-json-1.0' }).end(JSON.stringify(body))
}

function open(endpoint: string, options: SqsOptions = {}): ReturnType<typeof sqs> {
  const transport = sqs({ endpoint, ...options })
  onTestFinished(() => transport.close())
  return transport
}

test.each([
  [400, 'com.amazonaws.sqs#RequestThrottled', 'refused'],
  [400, 'com.amazonaws.sqs#QueueDoesNotExist', 'unknown-channel'],
  [403, 'com.amazonaws.sqs#AccessDeniedException', 'access-denied'],
  [503, 'com.amazonaws.sqs#ServiceUnavailable', 'unsure'],
])('an answer %i %s to a send is %s, and quotes nothing', async (status, type, code) => {
  const url = await serverThat((response) => respond(response, status, { __type: type, message: 'it holds secret' }))
  const failed = open(url).send(nowhere, message)
  await expect(failed).rejects.toMatchObject({ code })
  await expect(failed).rejects.not.toThrow('secret')
})

test('a server that does not answer leaves a send unsure', async () => {
  const silent = open(await serverThat(() => {}), { answerWithin: '10s' })
  await expect(silent.send(nowhere, message)).rejects.toMatchObject({ code: 'unsure' })
})

test('an answer that breaks off behind a good status leaves all that were sent together unsure, and nothing is sent again', async () => {
  let requests = 0
  const url = await serverThat((response) => {
    requests++
    response.writeHead(200, { 'content-type': 'application/x-amz-json-1.0', 'content-length': '1000' })
    response.write('{"Successful":[', () => response.destroy())
  })
  const transport = open(url)
  const outcomes = await Promise.allSettled([0, 1, 2].map(() => transport.send(nowhere, { body: message.body, headers: [] })))
  expect(outcomes.map((one) => one.status === 'rejected' && one.reason.code)).toEqual(['unsure', 'unsure', 'unsure'])
  expect(requests).toBe(1)
})

test('an entry that is in neither list of an answer is unsure, and its neighbours are not', async () => {
  const url = await serverThat((response) =>
    respond(response, 200, {
      Successful: [{ Id: '0', MessageId: 'm', MD5OfMessageBody: '5ebe2294ecd0e0f08eab7690d2a6ee69' }],
      Failed: [{ Id: '2', Code: 'RequestThrottled', SenderFault: false }],
    }),
  )
  const transport = open(url)
  const plain = { body: message.body, headers: [] }
  const outcomes = await Promise.allSettled([0, 1, 2].map(() => transport.send(nowhere, plain)))
  expect(outcomes.map((one) => (one.status === 'fulfilled' ? one.value.position : one.reason.code))).toEqual([
    'm',
    'unsure',
    'refused',
  ])
})

test('the limit that the queue tells is kept, and nothing is sent above it', async () => {
  const sent: number[] = []
  const url = await serverThat((response) => {
    sent.push(1)
    respond(response, 200, { Successful: [] })
  })
  const large = { ...message, body: Buffer.alloc(3000, 'x') }
  await expect(open(url).send(nowhere, large)).rejects.toMatchObject({ code: 'too-large' })
  expect(sent).toEqual([])
})

test('a server that is not there is unreachable', async () => {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  await new Promise((resolve) => server.close(resolve))
  await expect(open(`http://127.0.0.1:${port}`).send(nowhere, message)).rejects.toMatchObject({ code: 'unreachable' })
})

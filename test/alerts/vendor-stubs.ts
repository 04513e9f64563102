import { openStub, type Stub, type StubRequest } from './stub.ts'

/**
 * Receivers that refuse what the vendors' documentation says they refuse: fields that are missing, and texts that are too long. They are not the
 * vendors' programs; what is not documented is not checked.
 */
export function openSlack(): Promise<Stub> {
  return checking(
    (request) => [
      ...(typeof request.json?.text === 'string' ? [] : ['no text']),
      ...(request.json?.blocks?.length <= 50 ? [] : ['more than 50 blocks']),
      ...request.json.blocks.flatMap(slackBlockFindings),
    ],
    200,
  )
}

interface SlackBlock {
  readonly type: string
  readonly text?: { readonly type: string; readonly text: string }
  readonly elements?: readonly { readonly type: string; readonly text: string }[]
}

function slackBlockFindings({ type, text, elements }: SlackBlock): readonly string[] {
  const longest = type === 'header' ? 150 : 3000
  const found: string[] = []
  if (!['header', 'section', 'context'].includes(type)) found.push(`no such block: ${type}`)
  if (type === 'header' && text?.type !== 'plain_text') found.push('a header is plain text')
  if (type !== 'context' && !text) found.push(`a ${type} without text`)
  for (const each of [text, ...(elements ?? [])])
    if (each && (each.text.length === 0 || each.text.length > longest)) found.push(`${type} has ${each.text.length} characters`)
  return found
}

export function openTeams(): Promise<Stub> {
  return checking(
    ({ json, raw }) => [
      ...(Buffer.byteLength(raw) <= 28 * 1024 ? [] : ['larger than 28 KB']),
      ...(json?.type === 'message' ? [] : ['no message']),
      ...(json?.attachments?.[0]?.contentType === 'application/vnd.microsoft.card.adaptive' ? [] : ['no card']),
      ...(json?.attachments?.[0]?.content?.type === 'AdaptiveCard' ? [] : ['no adaptive card']),
      ...(json?.attachments?.[0]?.content?.version ? [] : ['no version']),
    ],
    202,
  )
}

export function openPagerDuty(): Promise<Stub> {
  return checking(
    ({ json, raw }) => [
      ...(Buffer.byteLength(raw) <= 512 * 1024 ? [] : ['larger than 512 KB']),
      ...(/^[0-9a-f]{32}$/.test(json?.routing_key) ? [] : ['a routing key has 32 characters']),
      ...(['trigger', 'resolve'].includes(json?.event_action) ? [] : ['no action']),
      ...(json?.dedup_key?.length <= 255 ? [] : ['no key']),
      ...(json?.event_action === 'trigger' ? triggerFindings(json.payload) : []),
    ],
    202,
  )
}

function triggerFindings(payload: Readonly<Record<string, string>> = {}): readonly string[] {
  const { summary = '', source = '', severity = '' } = payload
  return [
    ...(summary.length > 0 && summary.length <= 1024 ? [] : ['no summary']),
    ...(source.length > 0 ? [] : ['no source']),
    ...(['critical', 'error', 'warning', 'info'].includes(severity) ? [] : ['no severity']),
  ]
}

function checking(findings: (request: StubRequest) => readonly string[], taken: number): Promise<Stub> {
  return openStub((response, request) => {
    const found = request.headers['content-type'] === 'application/json' ? findings(request) : ['not JSON']
    response.writeHead(found.length === 0 ? taken : 400).end(found.join(', '))
  })
}

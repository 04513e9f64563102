import { slackBody } from '../../core/alerts/formats/slack.ts'
import { teamsBody } from '../../core/alerts/formats/teams.ts'
import type { Templates } from '../../core/alerts/formats/words.ts'
import type { Notification } from '../../core/alerts/notification.ts'
import { readOptions } from '../../core/options.ts'
import { post } from '../../outgoing/http-post.ts'
import { httpKeys, readHttpTarget } from '../../outgoing/http-target.ts'
import { readRoute, readTemplates, routingKeys, textKeys } from '../routing-options.ts'
import type { SinkMaker } from '../sink-maker.ts'

/** An incoming webhook of a Slack channel. */
export const slackSink: SinkMaker = chatSink('slack', slackBody)

/** A workflow of a Teams channel that starts when a webhook request is received. */
export const teamsSink: SinkMaker = chatSink('teams', teamsBody)

/** Its URL is its password, path and query included. */
function chatSink(kind: string, bodyOf: (notification: Notification, templates: Templates) => string): SinkMaker {
  return (name, options) => {
    const given = readOptions(options, [...httpKeys, ...routingKeys, ...textKeys], kind)
    const { url, mayConnect } = readHttpTarget(given)
    const templates = readTemplates(given)
    return {
      name,
      kind,
      target: url.host,
      keepsState: false,
      takes: readRoute(given),
      send: (notification, signal) =>
        post({ url, headers: headersOf(notification), body: bodyOf(notification, templates) }, signal, mayConnect),
    }
  }
}

function headersOf({ id }: Notification): Readonly<Record<string, string>> {
  return { 'content-type': 'application/json', 'redrive-delivery': id }
}

import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findJars, forTheJvm, installJars, javaArguments } from './maven.ts'
import { onPath } from './path.ts'
import { httpAnswers } from './probe.ts'
import type { Installation, Prepared, Recipe } from './recipe.ts'

const heap = 192

/** A double of Amazon's SQS. It has no packaging that puts a program on PATH. */
export const elasticmq: Recipe = {
  name: 'elasticmq',
  urlVariable: 'REDRIVE_SQS_URL',
  versions: ['1.7.1'],
  install: (version) => installJars('elasticmq', version),
  find,
}

function find(version: string): Installation | undefined {
  const jars = findJars('elasticmq', version)
  return jars === undefined
    ? undefined
    : { version, ports: 1, prepare: (folder, ports, settings) => prepare(jars, folder, ports, settings) }
}

async function prepare(jars: string, folder: string, ports: readonly number[], settings: readonly string[]): Promise<Prepared> {
  const [port = 0] = ports
  const { jvm, own } = forTheJvm(settings)
  const configuration = join(folder, 'elasticmq.conf')
  await writeFile(configuration, [serverConf(folder, port), ...own, ''].join('\n'))
  const java = {
    program: onPath('java') ?? 'java',
    args: [`-Dconfig.file=${configuration}`, ...javaArguments(jars, heap, jvm), 'org.elasticmq.server.Main'],
    env: { PATH: process.env['PATH'] ?? '', HOME: folder },
    folder,
    log: join(folder, 'elasticmq.log'),
  }
  const url = `http://127.0.0.1:${port}`
  return { commands: [java], url, ready: () => listsQueues(url) }
}

/** Without WRITE_DELAY=0 its database loses acknowledged messages on kill -9, and a crash test would blame us for it. */
function serverConf(folder: string, port: number): string {
  return `
include classpath("application.conf")
node-address { protocol = http, host = "127.0.0.1", port = ${port}, context-path = "" }
generate-node-address = false
rest-sqs { enabled = true, bind-port = ${port}, bind-hostname = "127.0.0.1", sqs-limits = strict }
rest-stats { enabled = false }
aws { region = us-east-1, accountId = 000000000000 }
queues-storage { enabled = true, path = "${join(folder, 'queues.conf')}" }
messages-storage {
  enabled = true
  driver-class = "org.h2.Driver"
  uri = "jdbc:h2:${join(folder, 'messages')};WRITE_DELAY=0"
  username = ""
  password = ""
  prune-data-on-init = false
}
`
}

function listsQueues(url: string): Promise<boolean> {
  const body = new URLSearchParams({ Action: 'ListQueues', Version: '2012-11-05' })
  return httpAnswers(url, { method: 'POST', body })
}

import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { connect as connectSecurely } from 'node:tls'
import { findJars, forTheJvm, installJars, javaArguments } from './maven.ts'
import { onPath } from './path.ts'
import { ask, type Reach } from './probe.ts'
import type { Command } from './process.ts'
import type { Installation, Prepared, Recipe } from './recipe.ts'

const heap = { nameServer: 128, broker: 384 } as const

/** A name server, and in a second process the broker with the gRPC proxy in front of it. Its distribution puts no program on PATH. */
export const rocketmq: Recipe = {
  name: 'rocketmq',
  urlVariable: 'REDRIVE_ROCKETMQ_URL',
  versions: ['5.5.0'],
  install: (version) => installJars('rocketmq', version),
  find,
}

function find(version: string): Installation | undefined {
  const jars = findJars('rocketmq', version)
  return jars === undefined
    ? undefined
    : { version, ports: 5, prepare: (folder, ports, settings) => prepare(jars, folder, ports, settings) }
}

interface Ports {
  readonly nameServer: number
  readonly broker: number
  readonly replication: number
  readonly grpc: number
  readonly remoting: number
}

async function prepare(jars: string, folder: string, given: readonly number[], settings: readonly string[]): Promise<Prepared> {
  const [nameServer = 0, broker = 0, replication = 0, grpc = 0, remoting = 0] = given
  const ports: Ports = { nameServer, broker, replication, grpc, remoting }
  const files = {
    nameServer: join(folder, 'namesrv.conf'),
    broker: join(folder, 'broker.conf'),
    proxy: join(folder, 'proxy.json'),
  }
  // Each process writes to its home and its temporary folder, and both must find them there.
  for (const home of ['namesrv', 'broker']) await mkdir(join(folder, home, 'tmp'), { recursive: true })
  await writeFile(files.nameServer, lines({ listenPort: nameServer, bindAddress: '127.0.0.1', ...nameServerFiles(folder) }))
  const { jvm, proxy, own } = sorted(settings)
  await writeFile(files.broker, [lines(brokerSettings(folder, ports)), ...own, ''].join('\n'))
  await writeFile(files.proxy, JSON.stringify({ ...proxySettings(ports), ...proxy }))
  const java = (home: string, heapSize: number, ...args: readonly string[]): Command => ({
    program: onPath('java') ?? 'java',
    args: [
      ...opened,
      `-Duser.home=${join(folder, home)}`,
      `-Djava.io.tmpdir=${join(folder, home, 'tmp')}`,
      // Otherwise it makes a certificate on every start, which takes ten seconds.
      '-Dtls.server.mode=disabled',
      ...javaArguments(jars, heapSize, jvm),
      ...args,
    ],
    env: { PATH: process.env['PATH'] ?? '', HOME: join(folder, home), ROCKETMQ_HOME: join(folder, home) },
    folder,
    log: join(folder, `${home}.log`),
  })
  const at = `127.0.0.1:${nameServer}`
  return {
    commands: [
      java('namesrv', heap.nameServer, 'org.apache.rocketmq.namesrv.NamesrvStartup', '-c', files.nameServer),
      java(
        ...(['broker', heap.broker, 'org.apache.rocketmq.proxy.ProxyStartup', '-pm', 'local', '-n', at] as const),
        ...['-bc', files.broker, '-pc', files.proxy],
      ),
    ],
    url: `rocketmq://127.0.0.1:${grpc}?nameServer=${at}`,
    ready: async () => {
      const reach = jvm.includes(onlySecure) ? securely : undefined
      return (await knowsTheBroker(nameServer, reach)) && (await speaksHttp2(grpc, reach))
    },
  }
}

/** Then nobody is answered in the clear. */
const onlySecure = '-Dtls.server.mode=enforcing'

/** Whether it is the right server is no question of whether it is there. */
const securely: Reach = (port) => connectSecurely({ port, host: '127.0.0.1', rejectUnauthorized: false, ALPNProtocols: ['h2'] })

interface Sorted {
  readonly jvm: readonly string[]
  readonly proxy: Readonly<Record<string, unknown>>
  readonly own: readonly string[]
}

/** What is for the JVM is for both processes, `proxy.name=` and a value in JSON for the proxy, and everything else a line of the broker's. */
function sorted(settings: readonly string[]): Sorted {
  const { jvm, own } = forTheJvm(settings)
  const ofProxy = own.filter((line) => line.startsWith('proxy.'))
  const pairs = ofProxy.map((line) => {
    const equals = line.indexOf('=')
    return [line.slice('proxy.'.length, equals), JSON.parse(line.slice(equals + 1))] as const
  })
  return {
    jvm,
    proxy: Object.fromEntries(pairs),
    own: own.filter((line) => !line.startsWith('proxy.')),
  }
}

/** What its buffers reach into. */
const opened: readonly string[] = [
  '--add-opens=java.base/java.nio=ALL-UNNAMED',
  '--add-opens=java.base/sun.nio.ch=ALL-UNNAMED',
  '--add-exports=java.base/jdk.internal.ref=ALL-UNNAMED',
  '--add-exports=java.base/sun.nio.ch=ALL-UNNAMED',
]

function nameServerFiles(folder: string): Record<string, string> {
  return { kvConfigPath: join(folder, 'namesrv', 'kvConfig.json'), configStorePath: join(folder, 'namesrv', 'stored.properties') }
}

/** Small files, no topic that nobody made, and nothing that is written for others to read. */
function brokerSettings(folder: string, { nameServer, broker, replication }: Ports): Record<string, string | number | boolean> {
  const store = join(folder, 'store')
  return {
    brokerClusterName: 'DefaultCluster',
    brokerName: 'broker-a',
    brokerId: 0,
    brokerIP1: '127.0.0.1',
    brokerIP2: '127.0.0.1',
    bindAddress: '127.0.0.1',
    namesrvAddr: `127.0.0.1:${nameServer}`,
    listenPort: broker,
    haListenPort: replication,
    storePathRootDir: store,
    storePathCommitLog: join(store, 'commitlog'),
    brokerRole: 'ASYNC_MASTER',
    flushDiskType: 'ASYNC_FLUSH',
    mappedFileSizeCommitLog: 16 * 1024 * 1024,
    mappedFileSizeConsumeQueue: 600_000,
    maxIndexNum: 50_000,
    maxHashSlotNum: 10_000,
    diskMaxUsedSpaceRatio: 95,
    autoCreateTopicEnable: false,
    autoCreateSubscriptionGroup: false,
    traceTopicEnable: false,
    // How often it looks for what is to come back; a second by default.
    reviveInterval: 100,
  }
}

/** Holds and polls as short as tests want them; by default the proxy takes no hold below ten seconds and no poll below five. */
function proxySettings({ nameServer, grpc, remoting }: Ports): object {
  return {
    rocketMQClusterName: 'DefaultCluster',
    proxyMode: 'LOCAL',
    proxyName: 'proxy',
    grpcServerPort: grpc,
    remotingListenPort: remoting,
    namesrvAddr: `127.0.0.1:${nameServer}`,
    localServeAddr: '127.0.0.1',
    useEndpointPortFromRequest: true,
    grpcBossLoopNum: 1,
    grpcWorkerLoopNum: 2,
    minInvisibleTimeMillsForRecv: 500,
    grpcClientConsumerMinLongPollingTimeoutMillis: 200,
  }
}

function lines(settings: Readonly<Record<string, string | number | boolean>>): string {
  return Object.entries(settings)
    .map(([name, value]) => `${name}=${value}\n`)
    .join('')
}

/** Asks the name server for its cluster, in which the broker stands as soon as it can be talked to. */
async function knowsTheBroker(port: number, reach?: Reach): Promise<boolean> {
  const header = Buffer.from(JSON.stringify({ code: 106, language: 'OTHER', version: 0, opaque: 1, flag: 0 }))
  const lengths = Buffer.alloc(8)
  lengths.writeInt32BE(4 + header.length, 0)
  lengths.writeInt32BE(header.length, 4)
  return (await ask(port, Buffer.concat([lengths, header]), reach)).includes('"broker-a"')
}

/** The preface of HTTP/2, with empty settings; a server answers with its own. */
async function speaksHttp2(port: number, reach?: Reach): Promise<boolean> {
  const preface = Buffer.concat([Buffer.from('PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'), Buffer.from('000000040000000000', 'hex')])
  return (await ask(port, preface, reach)).length > 0
}

import { dirname, join, normalize } from 'node:path'
import type { SourceFile } from './source-files.ts'

interface Layer {
  readonly folder: string
  readonly mayImport: readonly string[]
  /** What single files may import beyond that. */
  readonly doors?: Readonly<Record<string, readonly string[]>>
  readonly because: string
}

/** Where a vault is, opening it, and having it beside others. */
const vaultDoor = ['src/vault/open-vault.ts', 'src/vault/vault.ts', 'src/vault/turns.ts']

/**
 * Which layer may know which. Imports point one way, so that the core can be tested without a world and a transport without a
 * runtime; the reason stands in the message, for whoever runs into it.
 */
const layers: readonly Layer[] = [
  {
    folder: 'src/core',
    mayImport: ['src/core'],
    because: 'the core is pure: it decides, and knows nothing of brokers, clocks or processes',
  },
  {
    folder: 'src/platform',
    mayImport: ['src/core', 'src/platform'],
    because: 'the platform only gives the real clock and chance to the ports',
  },
  {
    folder: 'src/transports',
    mayImport: ['src/core', 'src/platform', 'src/transports'],
    because: 'transports hold no policy: what they need from the runtime belongs into the seam',
  },
  {
    folder: 'src/runtime',
    mayImport: [
      'src/core',
      'src/platform',
      'src/transports/seam.ts',
      'src/transports/topology.ts',
      'src/transports/capabilities.ts',
      'src/runtime',
    ],
    because: 'the runtime knows the seam and no broker, so that a user of one never loads another',
  },
  {
    folder: 'src/inbox',
    mayImport: ['src/core', 'src/platform', 'src/runtime', 'src/inbox'],
    because: 'an inbox belongs to a handler: it knows messages, and no broker',
  },
  {
    folder: 'src/claim-check',
    mayImport: ['src/core', 'src/platform', 'src/claim-check'],
    because: 'a store keeps bytes under keys: it knows neither messages nor brokers',
  },
  {
    folder: 'src/testing',
    mayImport: ['src/core', 'src/platform', 'src/transports/memory', 'src/runtime', 'src/testing'],
    because: 'a bench for tests is the runtime in memory, and no broker is loaded for it',
  },
  {
    folder: 'src/vault',
    mayImport: ['src/core', 'src/platform', 'src/vault'],
    because: 'the vault keeps letters: where they come from and where they go back to is no business of its own',
  },
  {
    folder: 'src/ops',
    mayImport: ['src/core', 'src/platform', 'src/transports/seam.ts', 'src/transports/capabilities.ts', 'src/vault', 'src/ops'],
    because: 'what people do with letters goes through the seam and the vault, and knows no broker, no server and no terminal',
  },
  {
    folder: 'src/config',
    mayImport: [
      'src/core',
      'src/platform',
      'src/transports/seam.ts',
      'src/transports/topology.ts',
      'src/transports/registry.ts',
      'src/notifiers/kinds.ts',
      'src/outgoing/otlp-target.ts',
      'src/oidc/oidc-login.ts',
      'src/server/rights.ts',
      'src/config',
    ],
    because: 'a configuration names transports and lets the registry check their options; it knows no broker and opens nothing',
  },
  {
    folder: 'src/oidc',
    mayImport: ['src/core', 'src/oidc'],
    because: 'an issuer is asked who somebody is: it knows neither the vault nor how a server keeps a session',
  },
  {
    folder: 'src/server',
    mayImport: [
      ...['src/core', 'src/platform', 'src/vault', 'src/ops', 'src/oidc'],
      ...['src/notifiers/notifiers.ts', 'src/outgoing/otlp-push.ts', 'src/server'],
    ],
    because: 'the server puts what people do with letters on HTTP, and says who may; it knows no broker and no terminal',
  },
  {
    folder: 'web/src',
    mayImport: ['src/core', 'src/server/rights.ts', 'web/src'],
    because:
      'the dashboard runs in a browser and knows the API alone: its types are generated, and of our code it may have what is pure (the core, the table of rights)',
  },
  {
    folder: 'src/demo',
    mayImport: ['src/core', 'src/platform', 'src/transports/seam.ts', 'src/runtime', 'src/demo'],
    because: 'the demo is a user of the runtime like any other',
  },
  {
    folder: 'src/cli',
    mayImport: [
      'src/core',
      'src/platform',
      'src/config',
      'src/demo',
      'src/transports/seam.ts',
      'src/transports/topology.ts',
      'src/transports/tools.ts',
      'src/transports/registry.ts',
      'src/runtime',
      'src/ops',
      'src/notifiers',
      'src/outgoing',
      'src/oidc',
      'src/cli',
    ],
    doors: {
      'src/cli/plane/vault-plane.ts': vaultDoor,
      'src/cli/plane/parts.ts': vaultDoor,
      'src/cli/plane/taking-turns.ts': vaultDoor,
      'src/cli/up.ts': vaultDoor,
      'src/cli/vault/copy.ts': [...vaultDoor, 'src/vault/copy/open-copy.ts', 'src/vault/copy/outcome.ts'],
      'src/cli/vault/rekey.ts': vaultDoor,
      'src/cli/plane/secrets.ts': ['src/server/secrets.ts'],
      'src/cli/plane/may-approve.ts': [...vaultDoor, 'src/server/rights.ts'],
      'src/cli/access/grant-options.ts': ['src/server/rights.ts'],
      'src/cli/run-control-plane.ts': [...vaultDoor, 'src/server/server.ts'],
    },
    because:
      'the command line asks the registry and the control plane: it knows no broker and no table, and opens a vault in one place',
  },
  {
    folder: 'src/outgoing',
    mayImport: ['src/core', 'src/platform', 'src/outgoing'],
    because: 'a way to the outside carries what it is given: it knows no alert and nobody who sends one',
  },
  {
    folder: 'src/monitor',
    mayImport: ['src/core', 'src/platform', 'src/transports/seam.ts', 'src/runtime', 'src/outgoing', 'src/monitor'],
    because: 'the monitor counts through the seam and knows no broker',
  },
  {
    folder: 'src/notifiers',
    mayImport: ['src/core', 'src/platform', 'src/outgoing', 'src/vault', 'src/notifiers'],
    because: 'notifiers bring to people what waits in the vault, and know nothing of who put it there',
  },
]

const transports = 'src/transports/'
/** Opens all of them, by name. */
const registry = 'src/transports/registry.ts'
/** Folders of transports that are made to be shared: what every queue of leased rows does. */
const sharedByTransports: ReadonlySet<string> = new Set(['leases', 'visibility'])
const noSibling = 'a transport knows no other one: what two of them need goes into a folder that both share'
const noSuite = 'the conformance suite judges transports, and none of them needs it to work'

/** What only the platform may ask for; everybody else takes it from a port, so that the simulator can run the same code. */
const worldly =
  /\b(Date\.now\(|new Date\(\)|performance\.now\(|Math\.random\(|randomUUID\(|setTimeout\(|setInterval\(|setImmediate\(|process\.hrtime)/

export function importDirectionFindings(files: readonly SourceFile[]): readonly string[] {
  return files.filter(({ path }) => !isTest(path)).flatMap((file) => [...wrongImports(file), ...worldlyCalls(file)])
}

function* wrongImports({ path, text }: SourceFile): Generator<string> {
  const layer = layers.find(({ folder }) => path.startsWith(`${folder}/`))
  if (!layer) {
    // The entry points of the package stand in no folder.
    if (/^(src|web\/src)\/.+\//.test(path))
      yield `${path} is in a folder of no layer: say in scripts/checks/import-direction.ts what it may know`
    return
  }
  for (const [, specifier = ''] of text.matchAll(/(?<!['"\w])(?:from|import)\s*\(?\s*'([^']+)'/g)) {
    if (specifier.startsWith('.')) {
      const target = normalize(join(dirname(path), specifier))
      const mayImport = [...layer.mayImport, ...(layer.doors?.[path] ?? [])]
      const isAllowed = mayImport.some((allowed) => target === allowed || target.startsWith(`${allowed}/`))
      if (!isAllowed) yield `${path} imports ${target}: ${layer.because}`
      else if (isOfAnother(path, target))
        yield `${path} imports ${target}: ${target.includes('/conformance/') ? noSuite : noSibling}`
    } else if (layer.folder === 'src/core') yield `${path} imports ${specifier}: ${layer.because}`
  }
}

/** Whether a file of one transport imports one of another. */
function isOfAnother(path: string, target: string): boolean {
  const [owner, folder] = [folderOfTransport(path), folderOfTransport(target)]
  if (path === registry || owner === 'conformance' || folder === undefined) return false
  if (path.endsWith('/conformance-subject.ts') && folder === 'conformance') return false
  return folder !== owner && !sharedByTransports.has(folder) && path.startsWith(transports)
}

function folderOfTransport(path: string): string | undefined {
  const [folder, ...rest] = path.startsWith(transports) ? path.slice(transports.length).split('/') : []
  return rest.length > 0 ? folder : undefined
}

function* worldlyCalls({ path, text }: SourceFile): Generator<string> {
  const isBound =
    /^src\/(core|runtime|transports|vault|ops|config|cli|monitor|claim-check|server|demo)\//.test(path) &&
    !path.startsWith('src/transports/conformance/')
  if (!isBound) return
  for (const [index, line] of text.split('\n').entries()) {
    const call = worldly.exec(line)
    if (call && !/^\s*(\*|\/\/|\/\*)/.test(line)) {
      yield `${path}:${index + 1} calls ${call[1]}…): time and chance come from the ports in src/core/ports.ts, so that the simulator runs this code too`
    }
  }
}

function isTest(path: string): boolean {
  return path.endsWith('.test.ts') || path.endsWith('.fixture.ts')
}

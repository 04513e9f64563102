import { dirname, join, normalize } from 'node:path'
import type { SourceFile } from './source-files.ts'

interface Layer {
  readonly folder: string
  readonly mayImport: readonly string[]
  /** What single files may import beyond that. */
  readonly doors?: Readonly<Record<string, readonly string[]>>
  readonly because: string
}

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
      'src/config',
    ],
    because: 'a configuration names transports and lets the registry check their options; it knows no broker and opens nothing',
  },
  {
    folder: 'src/server',
    mayImport: ['src/core', 'src/platform', 'src/vault', 'src/ops', 'src/server'],
    because: 'the server puts what people do with letters on HTTP, and says who may; it knows no broker and no terminal',
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
      'src/cli',
    ],
    doors: {
      'src/cli/plane/vault-plane.ts': ['src/vault/sqlite/sqlite-vault.ts'],
      'src/cli/run-control-plane.ts': ['src/vault/sqlite/sqlite-vault.ts', 'src/server/server.ts'],
    },
    because:
      'the command line asks the registry and the control plane: it knows no broker and no table, and opens a vault in one place',
  },
  {
    folder: 'src/monitor',
    mayImport: ['src/core', 'src/platform', 'src/transports/seam.ts', 'src/runtime', 'src/monitor'],
    because: 'the monitor counts through the seam and knows no broker',
  },
]

/** What only the platform may ask for; everybody else takes it from a port, so that the simulator can run the same code. */
const worldly =
  /\b(Date\.now\(|new Date\(\)|performance\.now\(|Math\.random\(|randomUUID\(|setTimeout\(|setInterval\(|setImmediate\(|process\.hrtime)/

export function importDirectionFindings(files: readonly SourceFile[]): readonly string[] {
  return files.filter(({ path }) => !isTest(path)).flatMap((file) => [...wrongImports(file), ...worldlyCalls(file)])
}

function* wrongImports({ path, text }: SourceFile): Generator<string> {
  const layer = layers.find(({ folder }) => path.startsWith(`${folder}/`))
  if (!layer) return
  for (const [, specifier = ''] of text.matchAll(/(?<!['"\w])(?:from|import)\s*\(?\s*'([^']+)'/g)) {
    if (specifier.startsWith('.')) {
      const target = normalize(join(dirname(path), specifier))
      const mayImport = [...layer.mayImport, ...(layer.doors?.[path] ?? [])]
      const isAllowed = mayImport.some((allowed) => target === allowed || target.startsWith(`${allowed}/`))
      if (!isAllowed) yield `${path} imports ${target}: ${layer.because}`
    } else if (layer.folder === 'src/core') yield `${path} imports ${specifier}: ${layer.because}`
  }
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

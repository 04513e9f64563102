import { describe, expect, it } from 'vitest'
import { importDirectionFindings } from './import-direction.ts'
import { sourceFiles } from './source-files.ts'

const found = (path: string, text: string): readonly string[] => importDirectionFindings([{ path, text }])

describe('import direction', () => {
  it('holds in the whole source tree', () => {
    expect(importDirectionFindings(sourceFiles('src'))).toEqual([])
  })

  it('catches a core that knows a transport, and says why not', () => {
    expect(found('src/core/decide.ts', "import { x } from '../transports/seam.ts'")).toEqual([
      expect.stringMatching(/imports src\/transports\/seam.ts: the core is pure/),
    ])
  })

  it('catches a core that touches the world', () => {
    expect(found('src/core/decide.ts', "import { readFileSync } from 'node:fs'")).toHaveLength(1)
    expect(found('src/core/decide.ts', 'const now = Date.now()')).toHaveLength(1)
  })

  it('catches a runtime that knows a concrete transport', () => {
    expect(found('src/runtime/pump.ts', "import { memory } from '../transports/memory/memory.ts'")).toHaveLength(1)
  })

  it('catches a transport that knows another, or the suite that judges it', () => {
    expect(found('src/transports/kafka/send.ts', "import { send } from '../rabbitmq/send.ts'")).toHaveLength(1)
    expect(found('src/transports/kafka/send.ts', "import { x } from '../conformance/subject.ts'")).toHaveLength(1)
    expect(found('src/transports/seam.ts', "import { x } from './rabbitmq/send.ts'")).toHaveLength(1)
    expect(found('src/transports/kafka/send.ts', "import type { Transport } from '../seam.ts'")).toEqual([])
    expect(found('src/transports/registry.ts', "import { kafka } from './kafka/kafka.ts'")).toEqual([])
  })

  it('catches a folder of which nobody said what it may know', () => {
    expect(found('src/somewhere/new.ts', '')).toHaveLength(1)
    expect(found('src/redrive.ts', "import { kafka } from './transports/kafka/kafka.ts'")).toEqual([])
  })

  it('catches a command that knows a concrete transport', () => {
    expect(found('src/cli/doctor.ts', "import { tools } from '../transports/rabbitmq/tools.ts'")).toHaveLength(1)
    expect(found('src/cli/doctor.ts', "import { toolsOf } from '../transports/registry.ts'")).toEqual([])
  })

  it('catches a configuration that knows a concrete transport, or the time', () => {
    expect(
      found('src/config/check-connections.ts', "import { rabbitmq } from '../transports/rabbitmq/rabbitmq.ts'"),
    ).toHaveLength(1)
    expect(found('src/config/check-connections.ts', "import { checkOptions } from '../transports/registry.ts'")).toEqual([])
    expect(found('src/config/read-config.ts', 'const now = Date.now()')).toHaveLength(1)
  })

  it('catches a command that opens a vault by itself, and lets the one file do it that is there for it', () => {
    const opening = "import { openVault } from '../../vault/open-vault.ts'"
    expect(found('src/cli/letters/show.ts', opening)).toHaveLength(1)
    expect(found('src/cli/plane/vault-plane.ts', opening)).toEqual([])
    expect(found('src/cli/letters/show.ts', "import type { Letters } from '../../ops/control-plane.ts'")).toEqual([])
  })

  it('catches a monitor that knows a concrete transport, or a time of its own', () => {
    expect(found('src/monitor/probe.ts', "import { rabbitmq } from '../transports/rabbitmq/rabbitmq.ts'")).toHaveLength(1)
    expect(found('src/monitor/probe.ts', 'setInterval(look, 10)')).toHaveLength(1)
  })

  it('catches a timer that bypasses the clock port, but not one that is only mentioned', () => {
    expect(found('src/runtime/pump.ts', 'setTimeout(look, 10)')).toHaveLength(1)
    expect(found('src/runtime/pump.ts', '// setTimeout(look, 10) would be wrong')).toEqual([])
  })
})

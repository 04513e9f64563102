import { createControlPlane } from '../../src/ops/create-control-plane.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { createServer } from '../../src/server/server.ts'
import type { Vault } from '../../src/vault/vault.ts'

/** A schema as the OpenAPI document holds it, as far as types are made of it. */
export interface JsonSchema {
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly JsonSchema[]
  readonly oneOf?: readonly JsonSchema[]
  readonly items?: JsonSchema
  readonly prefixItems?: readonly JsonSchema[]
  readonly properties?: Readonly<Record<string, JsonSchema>>
  readonly required?: readonly string[]
  readonly additionalProperties?: boolean | JsonSchema
  readonly format?: string
}

interface Content {
  readonly content?: Readonly<Record<string, { readonly schema?: JsonSchema }>>
}

export interface ApiOperation {
  readonly summary?: string
  readonly parameters?: readonly {
    readonly name: string
    readonly in: string
    readonly required?: boolean
    readonly schema: JsonSchema
  }[]
  readonly requestBody?: Content
  readonly responses: Readonly<Record<string, Content>>
}

export interface ApiDocument {
  readonly paths: Readonly<Record<string, Readonly<Record<string, ApiOperation>>>>
}

/** The document of the API, from the server itself: nothing is asked of the vault for it. */
export async function apiDocument(): Promise<ApiDocument> {
  const vault = {} as Vault
  const controlPlane = createControlPlane({
    vault,
    clock: systemClock,
    newId: () => '',
    draw: () => new Uint8Array(),
    sources: [],
    transportNamed: () => undefined,
  })
  const server = await createServer({ controlPlane, vault })
  const document = server.app.swagger() as unknown as ApiDocument
  await server.close()
  return document
}

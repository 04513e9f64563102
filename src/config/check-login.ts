import { isOnThisMachine } from '../core/server-url.ts'
import { mistakeAt, valueAt } from './check-config.ts'
import type { Mistake } from './config-error.ts'
import type { YamlTree } from './yaml-tree.ts'

const oidcPath = ['login', 'oidc']
const passwordsPath = ['login', 'passwords']

/** What signing in needs of the rest of the file. */
export function* checkLogin(tree: YamlTree): Generator<Mistake> {
  const oidc = valueAt(tree.value, oidcPath)
  if (oidc === undefined) {
    if (String(valueAt(tree.value, passwordsPath)) === 'false')
      yield mistakeAt(
        tree.placeOf(passwordsPath),
        passwordsPath,
        'login.passwords is off and there is no login.oidc: nobody could sign in.',
      )
    return
  }
  if (!knowsItsAddress(tree)) {
    const problem = 'login.oidc needs server.publicUrl, the address that browsers see: the issuer sends them back there.'
    yield mistakeAt(tree.placeOfKey(oidcPath), oidcPath, problem)
  }
  if (isEmpty(valueAt(oidc, ['groups'])) && valueAt(oidc, ['others']) === undefined)
    yield mistakeAt(
      tree.placeOfKey(oidcPath),
      oidcPath,
      'login.oidc names neither groups nor others: everybody would be refused.',
    )
}

/** On this machine alone browsers come by the name that they were given, and no proxy changes it. */
function knowsItsAddress({ value }: YamlTree): boolean {
  if (valueAt(value, ['server', 'publicUrl']) !== undefined) return true
  const host = valueAt(value, ['server', 'host']) ?? '127.0.0.1'
  return typeof host === 'string' && isOnThisMachine(host) && String(valueAt(value, ['server', 'behindProxy'])) !== 'true'
}

function isEmpty(groups: unknown): boolean {
  return groups === undefined || (Array.isArray(groups) && groups.length === 0)
}

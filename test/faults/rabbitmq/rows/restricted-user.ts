import type { Broker } from '../../../../scripts/brokers/start.ts'
import { tcpProxy } from '../../../brokers/tcp-proxy.ts'
import type { Stage, StageOptions } from '../stage.ts'

/** Consumers that are a user of their own, behind a proxy, so that their rights and their connections can be taken away. */
export interface RestrictedUser {
  allow(rights: Rights): Promise<unknown>
  /** Ends the connections of all consumers. */
  cut(): void
}

export interface Rights {
  readonly configure: string
  readonly read: string
  readonly write: string
}

/** Letters go through the default exchange, so the right to write to that is taken away; retries have exchanges of their own. */
export const withoutLetters: Rights = { configure: '.*', read: '.*', write: '^(?!amq[.]default$).*' }
export const everything: Rights = { configure: '.*', read: '.*', write: '.*' }

/** `work` creates its stage with the options that it is given, and then asks for its user there. */
export async function withRestrictedUser<T>(
  broker: Broker,
  work: (userOf: (stage: Stage) => Promise<RestrictedUser>, options: StageOptions) => Promise<T>,
): Promise<T> {
  const user = { name: `worker-${process.pid}-${performance.now()}`, password: 'worker' }
  const proxy = await tcpProxy(Number(new URL(broker.url).port))
  let remove = async (): Promise<unknown> => undefined
  async function userOf({ vhost: { manage, name } }: Stage): Promise<RestrictedUser> {
    const allow = (rights: Rights): Promise<unknown> => manage('PUT', `permissions/${name}/${user.name}`, rights)
    await manage('PUT', `users/${user.name}`, { password: user.password, tags: '' })
    remove = () => manage('DELETE', `users/${user.name}`)
    await allow(everything)
    return { allow, cut: proxy.cut }
  }
  try {
    return await work(userOf, { user, port: proxy.port })
  } finally {
    await remove()
    await proxy.close()
  }
}

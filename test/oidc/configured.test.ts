// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are the placeholders of a configuration file
import { expect, onTestFinished, test } from 'vitest'
import { runControlPlane } from '../../src/cli/run-control-plane.ts'
import { readConfig } from '../../src/config/read-config.ts'
import { workplace } from '../cli/run-redrive.ts'
import { temporaryFolder } from '../control/letters.fixture.ts'
import { hostileIssuer } from './hostile-issuer.ts'
import { realIssuer } from './real-issuer.ts'
import { signIn, whoIs } from './signing-in.ts'
import { userAgent } from './user-agent.ts'

const patience = { timeout: 240_000 }

function yamlFor(issuer: string): string {
  return `
vault: vault.db
login:
  passwords: false
  oidc:
    issuer: ${issuer}
    clientId: redrive
    clientSecret: \${OIDC_SECRET}
    scopes: [openid, profile, groups]
    groups:
      - { group: ops, role: operator, sources: [shop/*] }
`
}

test('what the configuration says about signing in is what the control plane does', patience, async () => {
  const issuer = await realIssuer({ people: { 'sub-ana': { preferred_username: 'ana', groups: ['ops'] } } })
  const environment = { OIDC_SECRET: issuer.login.clientSecret }
  const config = await readConfig(yamlFor(issuer.login.issuer), { file: 'redrive.yaml', folder: temporaryFolder(), environment })
  const running = await runControlPlane({ ...config, server: { ...config.server, port: 0 } }, { onProblem: () => {} })
  onTestFinished(() => running.close())
  issuer.registerClient([running.address])
  expect(running.firstLink).toBeUndefined()
  const agent = userAgent()
  await signIn(agent, running.address, 'sub-ana')
  expect(await whoIs(agent, running.address)).toMatchObject({ name: 'oidc:ana', role: 'operator', sources: [['shop/*']] })
})

test('the doctor asks the issuer, and says what is wrong with it', patience, async () => {
  const here = workplace({ OIDC_SECRET: 'secret of the client' })
  onTestFinished(() => here.remove())
  const issuer = await hostileIssuer()
  here.write('redrive.yaml', yamlFor(issuer.login.issuer))
  const look = (): Promise<readonly string[]> => here.told('doctor', '--config', 'redrive.yaml')
  expect(await look()).toEqual(['fine issuer', 'fine code flow', 'fine PKCE', 'fine signatures', 'fine keys', 'fine sign-out'])
  Object.assign(issuer.metadata, {
    id_token_signing_alg_values_supported: ['HS256'],
    code_challenge_methods_supported: ['plain'],
  })
  expect(await look()).toEqual(['fatal PKCE', 'fatal signatures', 'fine issuer', 'fine code flow', 'fine keys', 'fine sign-out'])
  Object.assign(issuer.metadata, { issuer: 'https://evil.example' })
  expect(await look()).toEqual(['fatal issuer'])
  const { status, out } = await here.redrive('doctor', '--config', 'redrive.yaml')
  expect([status, out]).toEqual([1, expect.stringContaining('that of another issuer')])
  expect(issuer.codes()).toBe(0)
})

test('the doctor says that an issuer cannot be reached, and that there is none', patience, async () => {
  const here = workplace({ OIDC_SECRET: 'x' })
  onTestFinished(() => here.remove())
  here.write('redrive.yaml', yamlFor('http://127.0.0.1:1'))
  const gone = await here.redrive('doctor', '--config', 'redrive.yaml')
  expect([gone.status, gone.out]).toEqual([1, expect.stringContaining('The issuer does not answer')])
  here.write('redrive.yaml', 'vault: v.db')
  expect(await here.told('doctor', '--config', 'redrive.yaml')).toEqual(['fine issuer'])
})

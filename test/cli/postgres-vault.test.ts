import { describe, expect, onTestFinished, test } from 'vitest'
import { runControlPlane } from '../../src/cli/run-control-plane.ts'
import { readConfig } from '../../src/config/read-config.ts'
import { postgresVault } from '../../src/vault/postgres/postgres-vault.ts'
import { onBrokers } from '../brokers/on-brokers.ts'
import { deskWith, json } from '../control/desk.fixture.ts'
import { deadLetter, keep, sourceIn, temporaryFolder } from '../control/letters.fixture.ts'

await onBrokers('postgres', ['15'], (broker) => {
  async function filled(schema: string): Promise<string> {
    const url = `${broker.url}?schema=${schema}`
    const vault = postgresVault({ url })
    await keep(vault, await sourceIn(vault), [deadLetter({ n: 1 }), deadLetter({ n: 2 })])
    await vault.close()
    return url
  }

  describe('a vault on a server', () => {
    test('is named by its url in the configuration, and while a control plane works on it, who would send letters beside it is refused', async () => {
      const vault = await filled('configured')
      const config = await readConfig(`vault: ${vault}`, {
        ...{ file: 'redrive.yaml', folder: temporaryFolder(), environment: {} },
      })
      expect(config.vault).toBe(vault)
      const anyPort = { ...config, server: { ...config.server, port: 0 } }
      const running = await runControlPlane(anyPort, { onProblem: () => {} })
      onTestFinished(() => running.close())
      expect((await fetch(`${running.address}/healthz`)).status).toBeLessThan(500)
      const beside = postgresVault({ url: vault })
      onTestFinished(() => beside.close())
      await expect(beside.hold(() => {})).rejects.toMatchObject({ code: 'conflict' })
    })

    test('is asked and changed by commands as a file is', async () => {
      const here = await deskWith({ letters: [] })
      const vault = await filled('asked')
      const letters = async () => (await json<{ letters: unknown[] }>(here, 'letters', 'state:open', '--vault', vault)).letters
      expect(await letters()).toHaveLength(2)
      const { status } = await here.redrive('discard', 'message:message-1', '--vault', vault, '--yes')
      expect(status).toBe(0)
      expect(await letters()).toHaveLength(1)
    })

    test('that cannot be reached is told without its password', async () => {
      const here = await deskWith({ letters: [] })
      const { status, err } = await here.redrive('letters', '--vault', 'postgres://ana:hunter2@127.0.0.1:1/shop')
      expect(status).not.toBe(0)
      expect(err).toContain('PostgreSQL cannot be reached')
      expect(err).not.toContain('hunter2')
    })
  })
})

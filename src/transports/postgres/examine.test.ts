import { describe, expect, test } from 'vitest'
import { onBrokers } from '../../../test/brokers/on-brokers.ts'
import { placeOn } from '../../../test/brokers/postgres.ts'
import { postgresVersions } from '../../../test/brokers/postgres-subjects.ts'
import type { Patient } from '../tools.ts'
import { examine } from './examine.ts'

const patient: Patient = { wanted: { channels: [{ address: { name: 'work' }, role: 'work', lanes: true }] }, channels: [] }

await onBrokers('postgres', postgresVersions, (broker, version) => {
  describe(`the doctor on PostgreSQL ${version}`, { timeout: 240_000 }, () => {
    const whatIn = async (options: object, isFine: boolean): Promise<string[]> =>
      (await examine(options, patient)).filter(({ severity }) => (severity === 'fine') === isFine).map(({ what }) => what)

    test('says that tables and channels are missing before anybody made them, and makes none', async () => {
      const { url, schema } = placeOn(broker)
      for (const _ of [1, 2])
        expect(await whatIn({ url, schema }, false)).toEqual(['rights-too-wide', 'tables-missing', 'channel-missing'])
    })

    test('finds nothing but the superuser once they are there', async () => {
      const place = placeOn(broker)
      await place.provision(...patient.wanted.channels)
      const { url, schema } = place
      expect(await whatIn({ url, schema }, false)).toEqual(['rights-too-wide'])
      expect(await whatIn({ url, schema }, true)).toEqual(['version', 'durability', 'schema'])
    })

    test('warns where a crash of the server would lose what it confirmed', async () => {
      const { url, schema } = placeOn(broker)
      const losing = `${url}?options=${encodeURIComponent('-c synchronous_commit=off')}`
      expect(await whatIn({ url: losing, schema }, false)).toContain('synchronous-commit-off')
      expect(await whatIn({ url, schema }, false)).not.toContain('synchronous-commit-off')
    })

    test('refuses tables of a newer version', async () => {
      const place = placeOn(broker)
      await place.provision(...patient.wanted.channels)
      await place.barely((client) => client.query(`UPDATE ${place.schema}.schema_version SET version = 99`))
      expect(await whatIn({ url: place.url, schema: place.schema }, false)).toContain('store-newer')
    })
  })
})

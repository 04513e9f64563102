import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { parse } from 'yaml'
import { readConfigFile } from '../src/config/read-config.ts'
import { noteNotRun } from './brokers/broker-for-tests.ts'

const folder = fileURLToPath(new URL('../deploy/', import.meta.url))
const textOf = (path: string): string => readFileSync(`${folder}${path}`, 'utf8')

interface Compose {
  readonly services: Readonly<Record<string, { readonly environment: Readonly<Record<string, string>> }>>
}

test('the configuration of the containers is one, with what compose gives it', async () => {
  const { services } = parse(textOf('docker/compose.yaml')) as Compose
  const given = Object.keys(services['redrive']?.environment ?? {})
  const configuration = textOf('docker/redrive.yaml')
  const asked = [...configuration.matchAll(/\$\{(\w+)/g)].map(([, name]) => name)

  expect(given.toSorted()).toEqual([...new Set(asked)].toSorted())
  // Nothing listens and nothing is connected to: it is only read.
  const environment = { POSTGRES_PASSWORD: 's', REDRIVE_PUBLIC_URL: 'https://letters.example', RABBITMQ_URL: 'amqp://broker' }
  expect(await readConfigFile(`${folder}docker/redrive.yaml`, environment)).toMatchObject({
    vault: 'postgres://redrive:s@postgres:5432/redrive',
    server: { behindProxy: true },
  })
})

/** A version that the package does not take would only be noticed by whoever builds the image. */
test('the image has a client for every broker, each of a version that the package takes', () => {
  const { peerDependencies } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as Package
  const clients = /^ARG CLIENTS="(.+)"$/m.exec(textOf('docker/Dockerfile'))?.[1]?.split(' ') ?? []
  const wanted = Object.entries(peerDependencies).map(([name, range]) => `${name}@${exactOrMajor(range)}`)
  expect(clients.toSorted()).toEqual(wanted.toSorted())
})

function exactOrMajor(range: string): string {
  return range.startsWith('^') ? (range.slice(1).split('.')[0] ?? '') : range
}

interface Package {
  readonly peerDependencies: Readonly<Record<string, string>>
}

const systemd = ['/usr/bin/systemd-analyze', '/bin/systemd-analyze'].find((path) => existsSync(path))

if (systemd === undefined) {
  const { notRun } = noteNotRun('NOT RUN: the unit of systemd is not verified. Get it with: apt-get install systemd')
  test(notRun, () => expect(process.env['CI']).toBeFalsy())
} else {
  test('systemd takes the unit, and finds it closed', () => {
    const unit = `${folder}systemd/redrive.service`
    expect(execFileSync(systemd, ['verify', '--man=no', unit], { encoding: 'utf8' })).toBe('')
    execFileSync(systemd, ['security', '--offline=true', '--threshold=20', unit], { encoding: 'utf8' })
  })
}

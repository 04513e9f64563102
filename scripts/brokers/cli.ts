import { findAzurePython, installAzurePython } from './azure-python.ts'
import { findChromium, installChromium } from './chromium.ts'
import { host, hostedBrokers, hostInBackground, stopHosted } from './hosted.ts'
import { findKafkaWriters, installKafkaWriters } from './kafka-writers.ts'
import type { BrokerName } from './recipe.ts'
import { recipes } from './start.ts'
import { findToxiproxy, installToxiproxy } from './toxiproxy.ts'

const help = `Real brokers as private processes, for tests, benchmarks and people.

  npm run brokers -- install <name> [version]   get it
  npm run brokers -- start <name> [version]     run it in the background, and print its URL
  npm run brokers -- status                     what can be had, what is here, what runs
  npm run brokers -- stop <name> [version]      end it and remove its data

Names and versions (the first is the default):
${Object.values(recipes)
  .map(
    ({ name, versions, urlVariable }) => `  ${name.padEnd(12)} ${versions.join(', ').padEnd(10)} or your own: ${urlVariable}=…`,
  )
  .join('\n')}

Only installed, by npm run brokers -- install …:
  toxiproxy       stands in front of any of them in the fault runs
  kafka-writers   Spring Kafka and Kafka Connect, whose dead letters are read
  azure-python    Microsoft's SDK for Python, by which the test server for Service Bus is checked
  chromium        the browser in which the dashboard is tested
`

const [verb = '--help', name = '', wantedVersion] = process.argv.slice(2)
await main().catch((error: Error) => fail(error.message))

async function main(): Promise<void> {
  if (verb === '--help' || verb === '-h' || verb === 'help') return console.log(help)
  if (verb === 'status') return status()
  if (verb === 'install' && name === 'toxiproxy') return installToxiproxy()
  if (verb === 'install' && name === 'kafka-writers') return installKafkaWriters()
  if (verb === 'install' && name === 'azure-python') return installAzurePython()
  if (verb === 'install' && name === 'chromium') return installChromium()
  const recipe = recipes[name as BrokerName] ?? fail(`There is no broker called "${name}".\n\n${help}`)
  const version = wantedVersion ?? recipe.versions[0] ?? ''
  if (!recipe.versions.includes(version)) fail(`${name} comes in ${recipe.versions.join(' and ')}, not in "${version}".`)
  if (verb === 'install') return recipe.install(version)
  if (verb === 'start') return start(recipe.name, version)
  if (verb === 'stop') return stop(recipe.name, version)
  if (verb === 'host') return host(recipe.name, version)
  fail(`There is no command "${verb}".\n\n${help}`)
}

async function start(name: BrokerName, version: string): Promise<void> {
  const running = (await hostedBrokers()).find((note) => note.name === name && note.version.startsWith(version))
  if (!running && !process.env[recipes[name].urlVariable]) await recipes[name].install(version)
  const note = running ?? (await hostInBackground(name, version))
  console.log(
    `${name} ${note.version}  ${note.url}  ${note.managementUrl ?? ''}\nIts data and logs: ${note.folder ?? 'not ours'}`,
  )
}

async function stop(name: BrokerName, version: string): Promise<void> {
  console.log((await stopHosted(name, version)) ? `${name} ${version} is stopped.` : `${name} ${version} was not running.`)
}

async function status(): Promise<void> {
  const notes = await hostedBrokers()
  for (const { name, versions, urlVariable, find } of Object.values(recipes))
    for (const version of versions) {
      const running = notes.find((note) => note.name === name && note.version.startsWith(version))
      const state = running
        ? `running at ${running.url}`
        : find(version)
          ? 'installed'
          : `not here: npm run brokers -- install ${name} ${version}`
      console.log(`${name.padEnd(12)} ${version.padEnd(7)} ${process.env[urlVariable] ? `given by ${urlVariable}` : state}`)
    }
  console.log(`chromium             ${findChromium() ? 'installed' : 'not here: npm run brokers -- install chromium'}`)
  console.log(`toxiproxy            ${findToxiproxy() ? 'installed' : 'not here: npm run brokers -- install toxiproxy'}`)
  console.log(`azure-python         ${findAzurePython() ? 'installed' : 'not here: npm run brokers -- install azure-python'}`)
  console.log(`kafka-writers        ${findKafkaWriters() ? 'installed' : 'not here: npm run brokers -- install kafka-writers'}`)
}

function fail(message: string): never {
  console.error(message)
  process.exit(1)
}

import type { FrameReader } from './frame.ts'

/** `at Acme.Orders.Store.<SaveAsync>d__4.MoveNext() in /src/Store.cs:line 12`, also in the languages that .NET writes it in. */
export const dotnetFrame: FrameReader = (line) => {
  const [, name] = shape.exec(line) ?? []
  if (name === undefined) return undefined
  const parts = namesOf(name)
  const method = parts.pop() ?? ''
  return { function: method, module: parts.join('.'), inApp: !libraryName.test(name) }
}

const shape =
  /^(?:at|bei|à|в|en|in|em|w|vid|ved|konumunda|로|场所) ([\w.<>$`|+&[\],]{1,512}?)(?:\[[^\]]{0,256}\])?\([^()]{0,1000}\)(?: (?:in|dans|в|en|a|em|w|i) .{1,1000}:\D{1,12} ?\d+\.?)?$/u

/** The names a person wrote, out of those a compiler made: of state machines, closures, lambdas, local functions and generics. */
function namesOf(name: string): string[] {
  return name
    .replace(/\.MoveNext$/, '')
    .replace(/`\d+/g, '')
    .replace(/\[[^\]]*\]/g, '')
    .split(/[.+](?![^<]*>)/)
    .map(writtenName)
    .filter((part) => part !== '')
}

function writtenName(part: string): string {
  const [, outer, local] = /^<([^>]*)>(?:[a-z]__(\w+)\|)?/.exec(part) ?? []
  if (outer === undefined) return part
  return local === undefined ? outer : `${outer}.${local}`
}

const libraries = [
  'System Microsoft MassTransit NServiceBus Newtonsoft RabbitMQ Confluent Azure Polly MediatR Dapper Npgsql StackExchange Autofac',
  'Castle Wolverine JasperFx Rebus Serilog NLog AutoMapper FluentValidation Grpc Google Amazon AWSSDK Paramore MySql MySqlConnector',
  'Oracle Hangfire Quartz OpenTelemetry MongoDB KafkaFlow EasyNetQ Orleans Akka lambda_method Refit RestSharp Marten',
]
  .join(' ')
  .split(' ')
const libraryName = new RegExp(`^(?:${libraries.join('|')})(?:\\.|$)`)

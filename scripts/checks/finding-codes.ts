import { sourceFiles } from './source-files.ts'

const severity = "'(?:fatal|missing|warning|unknown)'"
const forms = [
  new RegExp(`(?:tell|\\))\\(\\s*${severity},\\s*'([a-z-]+)'`, 'g'),
  new RegExp(`finding\\(\\s*${severity}, [\\w.]+, '([a-z-]+)'`, 'g'),
  new RegExp(`severity: ${severity}(?: as const)?,[^}]*?what: '([a-z-]+)'`, 'g'),
]

/** The word for everything that a check or the doctor can find fault with. */
export function findingCodes(): ReadonlySet<string> {
  const sources = sourceFiles('src/transports').filter(({ path }) =>
    /\/(?:rabbitmq|embedded|kafka|postgres|redis|rocketmq|servicebus|sqs)\/(?!.*\.test\.ts$)/.test(path),
  )
  return new Set(sources.flatMap(({ text }) => forms.flatMap((form) => [...text.matchAll(form)].map(([, code = '']) => code))))
}

import type { Report } from '../../../src/ops/alerts/report.ts'
import type { AlertCommit } from '../../../src/vault/operations/alert-records.ts'
import type { Reads, Writes } from '../../../src/vault/operations/operations.ts'
import type { InputOf, OutputOf, Vault } from '../../../src/vault/vault.ts'
import type { AlertPlant } from '../alerts/alert-process.ts'

/** Mistakes that a control plane could make when it alerts. */
export const alertBugs: Readonly<Record<string, AlertPlant>> = {
  'notes that something was told before it is': reading('waitingDeliveries', async (vault, query) => {
    const rows = await vault.read('waitingDeliveries', query)
    for (const { id, stateSince } of rows) await vault.write('deliverySent', { id, collapsed: [], now: stateSince })
    return rows
  }),
  'tells the newest first': reading('waitingDeliveries', async (vault, query) =>
    (await vault.read('waitingDeliveries', query)).toReversed(),
  ),
  'forgets what could not be told at once': writing('deliveryFailed', (vault, { id, now }) =>
    vault.write('deliverySent', { id, collapsed: [], now }),
  ),
  'gives up what could not be told at once': writing('deliveryFailed', (vault, { id, now, problem }) =>
    vault.write('deliveryGivenUp', { id, collapsed: [], now, problem }),
  ),
  'gives a message another name when it is sent again': reading('waitingDeliveries', async (vault, query) => {
    const rows = await vault.read('waitingDeliveries', query)
    return rows.map((row) => ({ ...row, notification: { ...row.notification, id: `${row.notification.id}.${row.attempts}` } }))
  }),
  'writes down what changed before what is to be said': writing('commitAlerts', async (vault, commit) => {
    await vault.write('commitAlerts', { ...commit, deliveries: [] })
    return vault.write('commitAlerts', { ...nothing(commit), deliveries: commit.deliveries })
  }),
  'writes down what is to be said before what changed': writing('commitAlerts', async (vault, commit) => {
    await vault.write('commitAlerts', { ...nothing(commit), deliveries: commit.deliveries })
    return vault.write('commitAlerts', { ...commit, deliveries: [] })
  }),
  'says nothing of what it could not write down': writing('commitAlerts', (vault, commit) =>
    vault.write('commitAlerts', commit).catch(() => undefined),
  ),
  'forgets at a restart what it told': reading('savedAlerts', async (vault, input) => ({
    ...(await vault.read('savedAlerts', input)),
    groups: [],
  })),
  'forgets at a restart what fires': reading('savedAlerts', async (vault, input) => ({
    ...(await vault.read('savedAlerts', input)),
    alerts: [],
  })),
  'forgets at a restart what it saw': reading('recentSamples', async () => []),
  'takes a broker that does not answer for empty queues': {
    reports: (reports) =>
      reports.map((report) => (report.failed === undefined ? report : { subject: report.subject, values: { letters: 0 } })),
  },
  'says nothing of a broker that does not answer': {
    reports: (reports) => reports.filter(({ failed, values }) => failed === undefined && values.failingSources === undefined),
  },
  'says nothing more of a broker that has not changed': unlessChanged(),
  'lets every queue of a broker that is down speak for itself': {
    rules: (rules) => rules.map((rule) => (rule.id === 'broker.down' ? { ...rule, type: 'dlq.growth' } : rule)),
  },
  'does not hear of silences': reading('quietAt', async () => ({ silences: [], marks: [] })),
  'says again and again what it said': again(),
  'goes by a clock that somebody may set': {
    clock: (clock) => ({ ...clock, monotonic: () => clock.now() }),
  },
}

/** With every change, however small, what was said last is said once more, under a name of its own. */
function again(): AlertPlant {
  let last: AlertCommit['deliveries'] = []
  let times = 0
  return writing('commitAlerts', (vault, commit) => {
    if (commit.deliveries.length > 0) last = commit.deliveries
    const repeated = last.map(({ notification, ...rest }) => {
      const sequence = notification.group.sequence + ++times
      const id = `${notification.id}.${sequence}`
      return {
        ...rest,
        notification: { ...notification, id, reason: 'repeat' as const, group: { ...notification.group, sequence } },
      }
    })
    return vault.write('commitAlerts', { ...commit, deliveries: [...commit.deliveries, ...repeated] })
  })
}

function unlessChanged(): AlertPlant {
  const last = new Map<string, string>()
  const isNews = ({ subject, values }: Report): boolean => {
    const text = JSON.stringify(values)
    const isOld = last.get(subject.source) === text
    last.set(subject.source, text)
    return !isOld
  }
  return { reports: (reports) => reports.filter((report) => report.values?.probedSources === undefined || isNews(report)) }
}

function nothing({ engine }: AlertCommit): AlertCommit {
  return { alerts: [], groups: [], deliveries: [], samples: [], engine }
}

function writing<Name extends keyof Writes>(
  planted: Name,
  twist: (vault: Vault, input: InputOf<Writes[Name]>) => Promise<OutputOf<Writes[Name]>>,
): AlertPlant {
  return {
    vault: (sound) => ({
      ...sound,
      write: ((name: string, input: never) =>
        name === planted ? twist(sound, input) : sound.write(name as never, input)) as Vault['write'],
    }),
  }
}

function reading<Name extends keyof Reads>(
  planted: Name,
  twist: (vault: Vault, input: InputOf<Reads[Name]>) => Promise<OutputOf<Reads[Name]>>,
): AlertPlant {
  return {
    vault: (sound) => ({
      ...sound,
      read: ((name: string, input: never) =>
        name === planted ? twist(sound, input) : sound.read(name as never, input)) as Vault['read'],
    }),
  }
}

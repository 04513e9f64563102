import type { Journal, JournalRecord } from './journal.ts'
import { entryOf } from './kept-entry.ts'
import type { EntitySettings, Namespace } from './namespace.ts'

/** The namespace as it was when its process died. Nobody has a lock any more, and deliveries that were under way count. */
export function restore(namespace: Namespace, journal: Journal): void {
  const lockedThen = new Map<string, Place>()

  function apply(record: JournalRecord): void {
    switch (record.kind) {
      case 'entity':
        create(namespace, record)
        break
      case 'removed':
        namespace.remove(record.path)
        break
      case 'session':
        namespace.queue(record.path)?.sessions.recall(record.id, bytesOf(record.state))
        break
      case 'locked':
        lockedThen.set(nameOf(record), record)
        break
      case 'put':
        lockedThen.delete(nameOf(record))
        drop(namespace, record)
        namespace.readmit(record.store, entryOf(record))
        break
      case 'gone':
        lockedThen.delete(nameOf(record))
        drop(namespace, record)
    }
  }

  journal.replay(apply)
  for (const { store, sequence } of lockedThen.values()) namespace.store(store).store.interrupted(sequence)
}

interface Place {
  readonly store: string
  readonly sequence: number
}

function nameOf({ store, sequence }: Place): string {
  return `${sequence} ${store}`
}

function bytesOf(text: string | undefined): Buffer | undefined {
  return text === undefined ? undefined : Buffer.from(text, 'base64')
}

function create(namespace: Namespace, { type, path, settings }: Extract<JournalRecord, { kind: 'entity' }>): void {
  // What is endless has no number in JSON: it is endless again when it is left out.
  const given = Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== null)) as EntitySettings
  if (type === 'queue') namespace.createQueue(path, given)
  else if (type === 'topic') namespace.createTopic(path, given)
  else {
    const [topic = '', name = ''] = path.split('/Subscriptions/')
    namespace.createSubscription(topic, name, given)
  }
}

function drop(namespace: Namespace, { store: path, sequence }: Place): void {
  const { store } = namespace.store(path)
  const before = store.get(sequence)
  if (before) store.remove(before)
}

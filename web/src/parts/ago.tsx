import { useSyncExternalStore } from 'react'
import { agoText } from './time.model.ts'

const every = 5_000
/** Made once: hundreds of rows write a time, again and again. */
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' })

/** One clock for all: hundreds of rows do not need hundreds of timers. */
const listeners = new Set<() => void>()
let timer: ReturnType<typeof setInterval> | undefined
let now = Date.now()

function subscribe(listener: () => void): () => void {
  listeners.add(listener)
  timer ??= setInterval(() => {
    now = Date.now()
    for (const each of listeners) each()
  }, every)
  return () => {
    listeners.delete(listener)
    if (listeners.size > 0) return
    clearInterval(timer)
    timer = undefined
  }
}

/** Now, as of the last few seconds. */
export function useNow(): number {
  return useSyncExternalStore(subscribe, () => now)
}

/** How long ago something was; the exact time is in its title and for programs. */
export function Ago({ at }: { readonly at: number }) {
  const time = new Date(at)
  return (
    <time dateTime={time.toISOString()} title={exact.format(time)} className="whitespace-nowrap">
      {agoText(at, Math.max(useNow(), at))}
    </time>
  )
}

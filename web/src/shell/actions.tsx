import { createContext, type ReactNode, useContext, useLayoutEffect, useMemo, useRef, useState } from 'react'

/** Something that can be done now: by a key, and from the palette. */
export interface Action {
  readonly name: string
  /** One character, as the keyboard gives it. */
  readonly key?: string
  /** Why it cannot be done now. */
  readonly reason?: string | undefined
  /** A key that is held does it again and again, which is right for what only moves. */
  readonly repeats?: boolean
  readonly act: () => void
}

type Offer = (actions: readonly Action[]) => () => void

const Offering = createContext<Offer>(() => () => undefined)
const Offered = createContext<readonly Action[]>([])

const place = 'redrive-keys'

/** Single keys can be switched off, for whoever speaks to the machine or types with a stick. */
export function useKeysSetting(): readonly [boolean, (on: boolean) => void] {
  const [isOn, setOn] = useState(() => localStorage.getItem(place) !== 'off')
  return [
    isOn,
    (on) => {
      localStorage.setItem(place, on ? 'on' : 'off')
      setOn(on)
    },
  ]
}

export function Actions({ children }: { readonly children: ReactNode }) {
  const [offers, setOffers] = useState<ReadonlyMap<symbol, readonly Action[]>>(new Map())
  const offer = useMemo<Offer>(
    () => (actions) => {
      const id = Symbol('offer')
      setOffers((all) => new Map(all).set(id, actions))
      return () => setOffers((all) => new Map([...all].filter(([key]) => key !== id)))
    },
    [],
  )
  const all = useMemo(() => [...offers.values()].flat().reverse(), [offers])
  useKeys(all)
  return (
    <Offering value={offer}>
      <Offered value={all}>{children}</Offered>
    </Offering>
  )
}

/** What can be done now, the most special first. */
export function useOffered(): readonly Action[] {
  return useContext(Offered)
}

/** Offers actions while the component is there. What they do may change at every render; their names and keys are what is compared. */
export function useActions(actions: readonly Action[]): void {
  const offer = useContext(Offering)
  const latest = useRef(actions)
  latest.current = actions
  const signature = JSON.stringify(actions.map(({ name, key, reason, repeats }) => [name, key, reason, repeats]))
  // Before anything is painted: a key that is pressed as soon as something can be seen is not lost.
  useLayoutEffect(() => {
    const named = JSON.parse(signature) as [name: string, key: string | null, reason: string | null, repeats: boolean | null][]
    return offer(
      named.map(([name, key, reason, repeats], index) => ({
        name,
        ...(key !== null && { key }),
        ...(reason !== null && { reason }),
        ...(repeats !== null && { repeats }),
        act: () => latest.current[index]?.act(),
      })),
    )
  }, [offer, signature])
}

function useKeys(actions: readonly Action[]): void {
  const latest = useRef(actions)
  latest.current = actions
  useLayoutEffect(() => {
    function onKey(event: KeyboardEvent): void {
      const wanted = meantBy(event)
      const meant = latest.current.filter(({ key }) => key === wanted)
      if (wanted === undefined || meant.length === 0) return
      event.preventDefault()
      // Where a page and a list in it offer the same key, it is for the one that can be done.
      const can = meant.find(({ reason }) => reason === undefined)
      if (!event.repeat || can?.repeats) can?.act()
    }
    document.addEventListener('keydown', onKey)
    return () => document.removeEventListener('keydown', onKey)
  }, [])
}

/** The key that was pressed, unless it belongs to something else: a field, a dialog, the browser. */
function meantBy(event: KeyboardEvent): string | undefined {
  if (document.querySelector('dialog[open]')) return undefined
  if (event.ctrlKey || event.metaKey) return event.key.toLowerCase() === 'k' ? 'Ctrl+K' : undefined
  const isOff = event.altKey || isTyping(event) || localStorage.getItem(place) === 'off'
  return isOff ? undefined : event.key
}

/** Of an editor in a shadow root the page only sees the host; the path says where the key really went. */
function isTyping(event: KeyboardEvent): boolean {
  const [target] = event.composedPath()
  if (!(target instanceof HTMLElement)) return false
  const isBox = target instanceof HTMLInputElement && ['checkbox', 'radio', 'button'].includes(target.type)
  return !isBox && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))
}

import { useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useEffect, useState } from 'react'
import { Link, useLocation } from 'wouter'
import { call } from '../api/client.ts'
import { useLive } from '../api/live.ts'
import { sessionQuery, useWho } from '../api/session.ts'
import { sourcesQuery } from '../api/sources.ts'
import { Button } from '../parts/button.tsx'
import { useActions } from './actions.tsx'
import { ConnectionMark } from './connection-mark.tsx'
import { Help } from './help.tsx'
import { Palette } from './palette.tsx'
import { places } from './places.ts'
import { TheNumber } from './the-number.tsx'
import { themes, useTheme } from './theme.ts'
import { totalOf } from './total.model.ts'

/** What stands around every screen: the number that should be 0, where one can go, and whether what is shown is live. */
export function Shell({ children }: { readonly children: ReactNode }) {
  useLive()
  useTitle()
  const [open, setOpen] = useState<'palette' | 'help'>()
  useActions([
    { name: 'Show all commands', key: 'Ctrl+K', act: () => setOpen('palette') },
    { name: 'Show the keys of this page', key: '?', act: () => setOpen('help') },
  ])
  return (
    <div className="lg:grid lg:min-h-dvh lg:grid-cols-[13.5rem_minmax(0,1fr)]">
      <a
        href="#main"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-40 focus:rounded focus:bg-surface focus:p-2"
      >
        Skip to the content
      </a>
      <header className="border-b bg-surface lg:sticky lg:top-0 lg:flex lg:h-dvh lg:flex-col lg:overflow-y-auto lg:border-r lg:border-b-0">
        <div className="flex items-center gap-3 px-4 pt-3 lg:block">
          <p className="font-semibold tracking-tight">Redrive</p>
          <TheNumber />
        </div>
        <Menu />
        <div className="hidden lg:block lg:flex-1" />
        <Corner onPalette={() => setOpen('palette')} onHelp={() => setOpen('help')} />
      </header>
      <main id="main" tabIndex={-1} className="min-w-0 px-4 py-4 outline-none sm:px-6 lg:py-5 2xl:px-10">
        {children}
      </main>
      {open === 'palette' && <Palette onClose={() => setOpen(undefined)} />}
      {open === 'help' && <Help onClose={() => setOpen(undefined)} />}
    </div>
  )
}

function Menu() {
  const [path] = useLocation()
  const { rights } = useWho()
  return (
    <nav aria-label="Main" className="mt-2 lg:mt-4">
      <ul className="flex gap-1 overflow-x-auto px-2 pb-2 lg:block">
        {places
          .filter(({ need }) => need === undefined || rights.includes(need))
          .map(({ name, path: to }) => (
            <li key={to} className="shrink-0">
              <Link
                href={to}
                aria-current={isAt(path, to) ? 'page' : undefined}
                className="block rounded-md px-2 py-1.5 hover:bg-raised aria-[current]:bg-tint aria-[current]:font-semibold aria-[current]:text-accent"
              >
                {name}
              </Link>
            </li>
          ))}
      </ul>
    </nav>
  )
}

/** A cause belongs to the inbox, and a page below a place to that place. */
function isAt(path: string, to: string): boolean {
  if (to === '/') return path === '/' || path.startsWith('/causes/')
  return path === to || path.startsWith(`${to}/`) || (to === '/replays' && path === '/replay')
}

function Corner({ onPalette, onHelp }: { readonly onPalette: () => void; readonly onHelp: () => void }) {
  const who = useWho()
  const client = useQueryClient()
  const [theme, setTheme] = useTheme()
  async function leave(): Promise<void> {
    const left = await call('DELETE /session', {})
    client.setQueryData(sessionQuery.queryKey, null)
    // Else the issuer would let whoever comes next in again without asking.
    if (left) location.assign(left.signOutAt)
  }
  return (
    <div className="flex flex-wrap items-center gap-x-3 gap-y-1 border-t px-4 py-2 text-sm text-muted lg:block lg:space-y-1 lg:pb-4">
      <ConnectionMark />
      <div className="flex items-center gap-1 lg:-ml-2">
        <Button look="quiet" onClick={onPalette} title="Ctrl+K">
          Commands
        </Button>
        <Button look="quiet" onClick={onHelp} title="?">
          Keys
        </Button>
      </div>
      <label className="flex items-center gap-2">
        <span>Theme</span>
        <select
          className="field !min-h-7 !py-0 text-sm"
          value={theme}
          onChange={({ target }) => setTheme(themes.find((each) => each === target.value) ?? 'system')}
        >
          {themes.map((each) => (
            <option key={each}>{each}</option>
          ))}
        </select>
      </label>
      <div className="flex items-center justify-between gap-2 lg:pt-1">
        <span className="truncate" title={who.role}>
          <span className="text-ink">{who.name}</span>, {who.role}
        </span>
        <Button look="quiet" onClick={() => void leave()}>
          Sign out
        </Button>
      </div>
    </div>
  )
}

/** The number also stands in the tab, where it is seen while somebody works elsewhere. */
function useTitle(): void {
  const { data } = useQuery(sourcesQuery)
  const total = data && totalOf(data)
  useEffect(() => {
    document.title = total && total.unresolved > 0 ? `(${total.unresolved}) Redrive` : 'Redrive'
  }, [total])
}

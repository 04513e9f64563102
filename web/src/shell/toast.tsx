import { createContext, type ReactNode, useCallback, useContext, useState } from 'react'
import { Link } from 'wouter'
import { Button } from '../parts/button.tsx'

interface Told {
  readonly id: number
  readonly text: string
  readonly to?: string | undefined
}

type Say = (text: string, to?: string) => void

const shownFor = 12_000

const Saying = createContext<Say>(() => undefined)

/** Says what was done. It is read out, and goes away by itself; where it leads somewhere, it is a link. */
export function useToast(): Say {
  return useContext(Saying)
}

export function Toasts({ children }: { readonly children: ReactNode }) {
  const [told, setTold] = useState<readonly Told[]>([])
  const forget = useCallback((id: number) => setTold((all) => all.filter((each) => each.id !== id)), [])
  const say = useCallback<Say>(
    (text, to) => {
      const id = performance.now()
      setTold((all) => [...all.slice(-3), { id, text, to }])
      setTimeout(() => forget(id), shownFor)
    },
    [forget],
  )
  return (
    <Saying value={say}>
      {children}
      <div role="status" className="pointer-events-none fixed right-3 bottom-3 left-3 z-30 grid justify-items-end gap-2">
        {told.map(({ id, text, to }) => (
          <div
            key={id}
            className="pointer-events-auto flex max-w-md items-center gap-2 rounded-md border border-control bg-surface px-3 py-2 shadow-lg"
          >
            {to === undefined ? (
              <span>{text}</span>
            ) : (
              <Link href={to} className="link">
                {text}
              </Link>
            )}
            <Button look="quiet" aria-label="Dismiss" onClick={() => forget(id)}>
              ✕
            </Button>
          </div>
        ))}
      </div>
    </Saying>
  )
}

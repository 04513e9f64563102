import { Link, useLocation } from 'wouter'
import { alertPlaces } from '../../shell/places.ts'

/** Alerts, and what decides who hears of them. */
export function AlertTabs() {
  const [path] = useLocation()
  return (
    <nav aria-label="About alerts" className="mb-4 flex flex-wrap gap-1 border-b">
      {alertPlaces.map(({ name, path: to }) => (
        <Link
          key={to}
          href={to}
          aria-current={path === to ? 'page' : undefined}
          className="-mb-px border-b-2 border-transparent px-3 py-1.5 hover:border-control aria-[current]:border-accent aria-[current]:font-semibold"
        >
          {name}
        </Link>
      ))}
    </nav>
  )
}

import { useLocation, useSearch } from 'wouter'
import { PageHead } from '../../parts/page-head.tsx'
import { FilterField } from './filter-field.tsx'
import { LetterList } from './letter-list.tsx'

const quick = ['state:open', 'state:unknown', 'state:returned', 'state:discarded', 'age<1h', ''] as const

/** Every letter, by a filter that stands in the address. */
export function LettersScreen() {
  const filter = new URLSearchParams(useSearch()).get('filter') ?? 'state:open'
  const [, go] = useLocation()
  return (
    <>
      <PageHead
        title="Letters"
        about="The newest first. The same filter works in the address, in the terminal and in a replay."
      />
      <FilterField
        filter={filter}
        onFilter={(next) => go(`/letters?${new URLSearchParams({ filter: next })}`)}
        label="Filter"
        quick={quick}
      />
      <LetterList filter={filter} />
    </>
  )
}

import { useQuery } from '@tanstack/react-query'
import { type Letter, sampleQuery } from '../../api/letters.ts'
import { many, numberText } from '../../parts/number.model.ts'
import { Section } from '../../parts/page-head.tsx'
import { seen } from '../../parts/seen.model.ts'
import { distribution } from './distribution.model.ts'

const fields: readonly (readonly [name: string, field: (letter: Letter) => string | null])[] = [
  // The version first: where there is room for one of them, it is the one that tells old from new.
  ['Consumer version', ({ service, version }) => [version, service].filter((part) => part !== null).join(' ') || null],
  ['Message type', ({ type }) => type],
  ['Key (hashed)', ({ keyHash }) => keyHash],
  ['State', ({ state }) => state],
]

/** What letters of a cause have in common besides their error. It is a sample, and says so. */
export function Distributions({ filter }: { readonly filter: string }) {
  const { data: sample } = useQuery(sampleQuery(filter))
  if (!sample || sample.length === 0) return null
  return (
    <Section
      title="What they have in common"
      aside={<span className="text-xs text-muted">of the newest {many(sample.length, 'letter')}</span>}
    >
      <div className="grid gap-4 sm:grid-cols-2 xl:grid-cols-4">
        {fields.map(([name, field]) => (
          <div key={name} className="self-start rounded-lg border bg-surface px-3 py-2">
            <h3 className="mb-1 text-xs text-muted">{name}</h3>
            <ul className="text-sm">
              {distribution(sample, field).map(({ value, letters }) => (
                <li key={value} className="relative flex justify-between gap-3 py-0.5">
                  <Bar share={letters / sample.length} />
                  <span className="relative min-w-0 truncate" title={seen(value)}>
                    {seen(value)}
                  </span>
                  <span className="relative">{numberText(letters)}</span>
                </li>
              ))}
            </ul>
          </div>
        ))}
      </div>
    </Section>
  )
}

/** Behind the text, as long as its share. */
function Bar({ share }: { readonly share: number }) {
  return (
    <svg aria-hidden="true" viewBox="0 0 100 1" preserveAspectRatio="none" className="absolute inset-y-0 left-0 h-full w-full">
      <rect width={share * 100} height="1" className="fill-raised" />
    </svg>
  )
}

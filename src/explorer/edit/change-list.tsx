import { wordsOf } from '../api/ontology.ts'
import type { Change } from './object-draft.ts'

const VALUE =
  'mono mt-1 mb-0 mx-0 py-1 px-2 border-l-3 rounded-xs wrap-anywhere whitespace-pre-wrap'

/** The changes of a write: the old value above the new one, for each property. */
export function ChangeList({ changes }: { readonly changes: readonly Change[] }) {
  if (changes.length === 0) return <p className="label">Nothing has changed.</p>
  return (
    <dl className="grid gap-3 m-0" aria-label="Changes">
      {changes.map(({ property, before, after }) => (
        <div key={property}>
          <dt className="label">{wordsOf(property)}</dt>
          {before !== undefined && (
            <dd className={`${VALUE} border-danger bg-danger/10`}>
              <span className="visually-hidden">before: </span>
              <del className="text-ink no-underline">{show(before)}</del>
            </dd>
          )}
          {after !== undefined && (
            <dd className={`${VALUE} border-ok bg-ok/10`}>
              <span className="visually-hidden">after: </span>
              <ins className="text-ink no-underline">{show(after)}</ins>
            </dd>
          )}
        </div>
      ))}
    </dl>
  )
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

import { wordsOf } from '../api/ontology.ts'
import styles from './edit.module.css'
import type { Change } from './object-draft.ts'

/** The changes of a write: the old value above the new one, for each property. */
export function ChangeList({ changes }: { readonly changes: readonly Change[] }) {
  if (changes.length === 0) return <p className="label">Nothing has changed.</p>
  return (
    <dl className={styles.changes} aria-label="Changes">
      {changes.map(({ property, before, after }) => (
        <div key={property}>
          <dt className="label">{wordsOf(property)}</dt>
          {before !== undefined && (
            <dd className={styles.removed}>
              <span className="visually-hidden">before: </span>
              <del>{show(before)}</del>
            </dd>
          )}
          {after !== undefined && (
            <dd className={styles.added}>
              <span className="visually-hidden">after: </span>
              <ins>{show(after)}</ins>
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

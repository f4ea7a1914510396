import { type ObjectTypeDefinition, wordsOf } from '../api/ontology.ts'
import type { ObjectRecord } from '../api/records.ts'
import styles from './object.module.css'
import { Value } from './value.tsx'

export interface PropertyListProps {
  readonly objectType: ObjectTypeDefinition
  readonly record: ObjectRecord
}

/** Properties in the order of the definition; those without a value come last. */
export function PropertyList({ objectType, record }: PropertyListProps) {
  const entries = Object.entries(objectType.properties)
  const isMissing = ([name]: (typeof entries)[number]) =>
    (record.properties[name] ?? undefined) === undefined
  const sorted = [...entries.filter((entry) => !isMissing(entry)), ...entries.filter(isMissing)]
  return (
    <dl className={styles.properties}>
      {sorted.map(([name, definition]) => (
        <div key={name} className={styles.property}>
          <dt className="label" title={definition.description ?? `${name}: ${definition.type}`}>
            {definition.displayName ?? wordsOf(name)}
          </dt>
          <dd className="data">
            <Value
              value={record.properties[name]}
              type={definition}
              isKey={name === objectType.primaryKey}
            />
          </dd>
        </div>
      ))}
    </dl>
  )
}

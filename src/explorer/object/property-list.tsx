import { type ObjectTypeDefinition, type PropertyType, wordsOf } from '../api/ontology.ts'
import type { ObjectRecord } from '../api/records.ts'
import { formatValue, localTime } from '../ui/format-value.ts'
import styles from './object.module.css'

export interface PropertyListProps {
  readonly objectType: ObjectTypeDefinition
  readonly record: ObjectRecord
}

/** Properties in the order of the definition; those without a value come last. */
export function PropertyList({ objectType, record }: PropertyListProps) {
  const entries = Object.entries(objectType.properties)
  const isMissing = ([name]: (typeof entries)[number]) => record.properties[name] === undefined
  const sorted = [...entries.filter((entry) => !isMissing(entry)), ...entries.filter(isMissing)]
  return (
    <dl className={styles.properties}>
      {sorted.map(([name, definition]) => (
        <div key={name} className={styles.property}>
          <dt className="label" title={`${name}: ${definition.type}`}>
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

interface ValueProps {
  readonly value: unknown
  readonly type: PropertyType
  readonly isKey?: boolean
}

function Value({ value, type, isKey = false }: ValueProps) {
  if (value === undefined || value === null) return <span className={styles.missing}>–</span>
  if (type.type === 'array') {
    return (
      <ul className={styles.items}>
        {(value as readonly unknown[]).map((item, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: elements have no identity of their own
          <li key={index}>
            <Value value={item} type={type.items} />
          </li>
        ))}
      </ul>
    )
  }
  if (type.type === 'struct') {
    const fields = value as Readonly<Record<string, unknown>>
    return (
      <dl className={styles.struct}>
        {Object.entries(type.fields).map(([name, field]) => (
          <div key={name}>
            <dt className="label">{wordsOf(name)}</dt>
            <dd>
              <Value value={fields[name]} type={field} />
            </dd>
          </div>
        ))}
      </dl>
    )
  }
  const text = formatValue(value, type, { isKey })
  const title = type.type === 'timestamp' ? localTime(String(value)) : undefined
  return <span title={title}>{text}</span>
}

import { keyText, type ObjectRecord } from '../api/records.ts'
import { messageOf } from '../api/service.ts'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'
import styles from './map.module.css'

export interface MapNotesProps {
  readonly error: Error | null
  /** Objects on the part of the map that was counted; undefined until they are counted. */
  readonly total: number | undefined
  /** The objects that are shown one by one. */
  readonly records: readonly ObjectRecord[]
  readonly isBoxed: boolean
  readonly onWorld: () => void
  readonly onVisible: () => void
  readonly onPeek: (key: string) => void
}

export function MapNotes(props: MapNotesProps) {
  const { error, total, records, isBoxed, onWorld, onVisible, onPeek } = props
  return (
    <div className={styles.notes}>
      <p className={styles.note} role={error === null ? 'status' : 'alert'}>
        {error === null ? describe(total) : messageOf(error)}
      </p>
      {records.length > 0 && (
        <details className={styles.list}>
          <summary>List them</summary>
          <ul>
            {records.map((record) => (
              <li key={keyText(record.key)}>
                <button type="button" onClick={() => onPeek(keyText(record.key))}>
                  {record.title ?? keyText(record.key)}
                </button>
              </li>
            ))}
          </ul>
        </details>
      )}
      <Button onClick={onVisible}>Filter to this part</Button>
      {isBoxed && <Button onClick={onWorld}>Show the whole world</Button>}
    </div>
  )
}

function describe(total: number | undefined): string {
  if (total === undefined) return 'Counting…'
  return `${formatCount(total)} ${total === 1 ? 'object' : 'objects'} on this part of the map`
}

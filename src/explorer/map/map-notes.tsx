import { keyText, type ObjectRecord } from '../api/records.ts'
import { messageOf } from '../api/service.ts'
import { Button } from '../ui/button.tsx'
import { formatCount } from '../ui/format.ts'

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
    <div className="absolute left-3 right-3 bottom-3 flex flex-wrap items-end gap-2 pointer-events-none *:pointer-events-auto">
      <p
        className="py-1.5 px-2.5 border border-line rounded-md bg-panel text-sm leading-4"
        role={error === null ? 'status' : 'alert'}
      >
        {error === null ? describe(total) : messageOf(error)}
      </p>
      {records.length > 0 && (
        <details className="py-1.5 px-2.5 border border-line rounded-md bg-panel text-sm leading-4">
          <summary className="cursor-pointer">List them</summary>
          <ul className="max-h-50 mt-1.5 mb-0 mx-0 p-0 overflow-auto list-none">
            {records.map((record) => (
              <li key={keyText(record.key)}>
                <button
                  type="button"
                  className="w-full py-0.5 px-1 border-0 bg-transparent text-accent text-left cursor-pointer"
                  onClick={() => onPeek(keyText(record.key))}
                >
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

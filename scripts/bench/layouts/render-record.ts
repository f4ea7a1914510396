import { type RecordColumn, recordShape } from '../../../src/contract/object-record.ts'
import type { Revision } from '../../../src/contract/revisions.ts'
import type { CrossingPut } from '../../../src/store/sqlite/threads/crossing-change.ts'
import { OBJECT_TYPE } from '../objects.ts'

/** The text of a record, made at write time. */
export function renderRecord(revision: Revision, put: CrossingPut): string {
  return beforeProperties(revision, put) + put[4] + BEHIND_PROPERTIES
}

/** The same in both revisions. */
const BEHIND_PROPERTIES = '}'

export function beforeProperties(revision: Revision, put: CrossingPut): string {
  const [, objectId, key, title] = put
  const columns: Record<RecordColumn, string | null> = { objectId, key, title, properties: '' }
  const parts = recordShape(revision, OBJECT_TYPE).map((part) => {
    if ('column' in part) return columns[part.column]
    if (!('optionalColumn' in part)) return part.literal
    const text = columns[part.optionalColumn]
    return text === null ? '' : part.literal + text
  })
  return parts.join('').slice(0, -BEHIND_PROPERTIES.length)
}

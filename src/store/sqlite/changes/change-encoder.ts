/** Encodes changes for the writer thread, in the thread that parsed them. */
import type { ObjectType } from '../../../ontology/ontology.ts'
import type { Change, ChangeEncoder } from '../../object-store.ts'
import { columnsOf, toPutMessage } from './change-message.ts'
import { encodeRows } from './encoded-rows.ts'

/** A thread calls it for each batch; see `ChangeEncoding`. */
export function createEncoder(objectType: ObjectType): ChangeEncoder {
  const columns = columnsOf(objectType).fields.length
  return {
    encode(changes) {
      const { count, ...content } = encodeRows(messagesOf(changes), columns)
      return { count, content, transfer: [content.keys.buffer, content.rows.buffer] }
    },
    finish: () => [],
  }
}

function* messagesOf(changes: Iterable<Change>) {
  for (const change of changes) {
    yield 'delete' in change ? ([change.delete] as const) : toPutMessage(change.put)
  }
}

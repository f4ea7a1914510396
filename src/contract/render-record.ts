/** Writes the record of one object, byte for byte as the stores write it in pages. */
import type { PlainRecordShape, RecordColumn } from './object-record.ts'

/** The stored texts of an object. All are JSON, except the id. */
export interface StoredTexts {
  readonly objectId: string
  readonly key: string
  readonly title: string | null
  readonly body: string
}

export function renderRecord(shape: PlainRecordShape, object: StoredTexts): string {
  let record = ''
  for (const part of shape) {
    if ('column' in part) record += COLUMNS[part.column](object) ?? ''
    else if ('optionalColumn' in part) {
      const text = COLUMNS[part.optionalColumn](object)
      if (text !== null) record += part.literal + text
    } else record += part.literal
  }
  return record
}

const COLUMNS: Readonly<Record<RecordColumn, (object: StoredTexts) => string | null>> = {
  objectId: ({ objectId }) => objectId,
  key: ({ key }) => key,
  wholeKey: ({ key }) => unquoted(key),
  doubleKey: ({ key }) => (key.includes('Infinity') ? key : unquoted(key)),
  title: ({ title }) => title,
  properties: ({ body }) => body,
  flatProperties: ({ body }) => body.slice(1),
}

function unquoted(json: string): string {
  return json.slice(1, -1)
}

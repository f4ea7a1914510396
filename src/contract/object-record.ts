/**
 * How a stored object looks on the wire [2.2]. The store writes a record as bytes, from literal text
 * and stored columns, without parsing. A record shape is data, so that every store can compile it
 * and no store knows a revision.
 */
import type { Revision } from './revisions.ts'

/** A stored column. Each contains JSON text, except `objectId`, which is a bare UUID. */
export type RecordColumn = 'objectId' | 'key' | 'title' | 'properties'

export type RecordPart =
  | { readonly literal: string }
  | { readonly column: RecordColumn }
  /** The literal followed by the column; both are omitted if the column is null. */
  | { readonly literal: string; readonly optionalColumn: RecordColumn }

export type RecordShape = readonly RecordPart[]

export const OBJECT_RID_PREFIX = 'ri.phonograph2-objects.main.object.'

const SHAPES: Readonly<Record<Revision, (objectTypeApiName: string) => RecordShape>> = {
  '1.0': () => [
    { literal: `{"rid":"${OBJECT_RID_PREFIX}` },
    { column: 'objectId' },
    { literal: '","properties":' },
    { column: 'properties' },
    { literal: '}' },
  ],
  '2.0': (objectTypeApiName) => [
    { literal: '{"primaryKey":' },
    { column: 'key' },
    { literal: `,"objectType":${JSON.stringify(objectTypeApiName)}` },
    { literal: ',"title":', optionalColumn: 'title' },
    { literal: ',"properties":' },
    { column: 'properties' },
    { literal: '}' },
  ],
}

export function recordShape(revision: Revision, objectTypeApiName: string): RecordShape {
  return SHAPES[revision](objectTypeApiName)
}

/** Returns a text that equal shapes share. No literal contains a control character. */
export function shapeKey(shape: RecordShape): string {
  let key = ''
  for (const part of shape) {
    if ('column' in part) key += `\u0000${part.column}`
    else key += `\u0001${part.literal}`
    if ('optionalColumn' in part) key += `\u0002${part.optionalColumn}`
  }
  return key
}

/** The properties alone: the form in which objects are exported and written. */
export const PROPERTIES_RECORD: RecordShape = [{ column: 'properties' }]

/** Returns the bytes that a shape adds to a record's stored text: literals, id and separator. */
export function bytesOfShape(shape: RecordShape): number {
  return shape.reduce((bytes, part) => {
    if ('literal' in part) return bytes + part.literal.length
    return part.column === 'objectId' ? bytes + OBJECT_ID_LENGTH : bytes
  }, 1)
}

const OBJECT_ID_LENGTH = 36

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

/** The same shape each time, so that what was prepared for it can be found by it. */
const madeShapes = new Map<string, RecordShape>()

export function recordShape(revision: Revision, objectTypeApiName: string): RecordShape {
  const name = `${revision} ${objectTypeApiName}`
  let shape = madeShapes.get(name)
  if (shape === undefined) {
    shape = SHAPES[revision](objectTypeApiName)
    madeShapes.set(name, shape)
  }
  return shape
}

/** The properties alone, as objects are exported and put. */
export const PROPERTIES_RECORD: RecordShape = [{ column: 'properties' }]

/** Returns the bytes that a shape adds to the stored text: literals, object id and separator. */
export function bytesOfShape(shape: RecordShape): number {
  return shape.reduce((bytes, part) => {
    if ('literal' in part) return bytes + part.literal.length
    return part.column === 'objectId' ? bytes + OBJECT_ID_LENGTH : bytes
  }, 1)
}

const OBJECT_ID_LENGTH = 36

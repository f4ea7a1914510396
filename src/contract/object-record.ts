import type { Revision } from './revisions.ts'

/**
 * How a stored object looks on the wire [2.2]. A record is written by the store, as bytes, out of
 * literal text and stored columns: nothing is parsed on the way out. The parts of a record are
 * data, so that every store can compile them and no store knows a revision.
 */

/** Stored columns, each already JSON text except `objectId`, which is a bare UUID. */
export type RecordColumn = 'objectId' | 'key' | 'title' | 'properties'

export type RecordPart =
  | { readonly literal: string }
  | { readonly column: RecordColumn }
  /** Literal and column together, left out where the column is null. */
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

/** Nothing but the properties: how objects are exported, and put. */
export const PROPERTIES_RECORD: RecordShape = [{ column: 'properties' }]

/** What a shape adds to the stored text of a record: literals, identifier, and the comma. */
export function bytesOfShape(shape: RecordShape): number {
  return shape.reduce((bytes, part) => {
    if ('literal' in part) return bytes + part.literal.length
    return part.column === 'objectId' ? bytes + OBJECT_ID_LENGTH : bytes
  }, 1)
}

const OBJECT_ID_LENGTH = 36

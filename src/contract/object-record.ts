/**
 * How a stored object looks on the wire [2.2]. The store writes a record as bytes, from literal text
 * and stored columns, without parsing. A record shape is data, so that every store can compile it
 * and no store knows a revision.
 */
import type { Revision } from './revisions.ts'

/**
 * A stored column. Each contains JSON text, except `objectId`, which is a bare UUID.
 *
 * The key is stored as a JSON string. `wholeKey` is the key of a whole number or a boolean, without
 * the quotes; `doubleKey` that of a double, whose infinities keep them. `flatProperties` is the text
 * of the properties without the opening brace.
 */
export type RecordColumn =
  | 'objectId'
  | 'key'
  | 'wholeKey'
  | 'doubleKey'
  | 'title'
  | 'properties'
  | 'flatProperties'

export type RecordPart =
  | { readonly literal: string }
  | { readonly column: RecordColumn }
  /** The literal followed by the column; both are omitted if the column is null. */
  | { readonly literal: string; readonly optionalColumn: RecordColumn }
  /** Properties under other names, each with a comma before it; omitted if absent. */
  | { readonly renamed: readonly RenamedProperty[] }
  /** The checksum and everything that it covers, see `CHECKED_RECORD`. */
  | { readonly isChecked: true }

export interface RenamedProperty {
  readonly property: string
  readonly as: string
}

export type RecordShape = readonly RecordPart[]

/** A shape that keeps the names of the properties. */
export type PlainRecordShape = readonly Exclude<
  RecordPart,
  { readonly renamed: unknown } | { readonly isChecked: true }
>[]

export const OBJECT_RID_PREFIX = 'ri.phonograph2-objects.main.object.'

/** The revisions whose records nest the properties. */
type NestedRevision = Exclude<Revision, 'v2'>

const SHAPES: Readonly<Record<NestedRevision, (objectTypeApiName: string) => PlainRecordShape>> = {
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

export function recordShape(revision: NestedRevision, objectTypeApiName: string): PlainRecordShape {
  return SHAPES[revision](objectTypeApiName)
}

/** What a flat record shows of its object type. */
export interface FlatRecordType {
  readonly apiName: string
  readonly primaryKey: { readonly type: string }
}

export interface FlatRecordOptions {
  readonly excludeRid: boolean
  /** The score of every record of the page; absent if undefined. */
  readonly score?: number | undefined
  /** What the members that describe the object begin with; `__` if absent. */
  readonly prefix?: '__' | '$'
}

/**
 * Returns the shape of a record of v2: the properties beside the members `__rid`, `__primaryKey`,
 * `__apiName`, `__score` and `__title`. An object always has its primary key, so properties always
 * follow.
 */
export function flatRecordShape(
  type: FlatRecordType,
  options: FlatRecordOptions,
): PlainRecordShape {
  return [...flatRecordHead(type, options), { literal: ',' }, { column: 'flatProperties' }]
}

/** Returns the shape of an object of v2 that is viewed as an interface. */
export function interfaceRecordShape(
  type: FlatRecordType,
  properties: readonly RenamedProperty[],
  options: FlatRecordOptions,
): RecordShape {
  return [...flatRecordHead(type, options), { renamed: properties }, { literal: '}' }]
}

function flatRecordHead(
  { apiName, primaryKey }: FlatRecordType,
  { excludeRid, score, prefix = '__' }: FlatRecordOptions,
): PlainRecordShape {
  const scored = score === undefined ? '' : `,"${prefix}score":${score}`
  const rid: PlainRecordShape = [
    { literal: `{"${prefix}rid":"${OBJECT_RID_PREFIX}` },
    { column: 'objectId' },
    { literal: `","${prefix}primaryKey":` },
  ]
  return [
    ...(excludeRid ? [{ literal: `{"${prefix}primaryKey":` }] : rid),
    { column: keyColumn(primaryKey.type) },
    { literal: `,"${prefix}apiName":${JSON.stringify(apiName)}${scored}` },
    { literal: `,"${prefix}title":`, optionalColumn: 'title' },
  ]
}

/** Returns the column with the primary key in the JSON encoding of its type. */
export function keyColumn(primaryKeyType: string): RecordColumn {
  return KEY_COLUMNS[primaryKeyType] ?? 'key'
}

/** Key types whose JSON is not a string. */
const KEY_COLUMNS: Readonly<Record<string, RecordColumn>> = {
  boolean: 'wholeKey',
  byte: 'wholeKey',
  short: 'wholeKey',
  integer: 'wholeKey',
  double: 'doubleKey',
}

/** Returns a text that equal shapes share. No literal contains a control character. */
export function shapeKey(shape: RecordShape): string {
  let key = ''
  for (const part of shape) {
    if ('column' in part) key += `\u0000${part.column}`
    else if ('renamed' in part) key += `\u0003${JSON.stringify(part.renamed)}`
    else if ('isChecked' in part) key += '\u0004'
    else key += `\u0001${part.literal}`
    if ('optionalColumn' in part) key += `\u0002${part.optionalColumn}`
  }
  return key
}

/** The properties alone: the form in which objects are exported and written. */
export const PROPERTIES_RECORD: RecordShape = [{ column: 'properties' }]

/**
 * The stored object with its checksum, to be checked before it is exported: the checksum, the bytes of object id and key, those of the stored key, and those of the body, each
 * number with a space after it; then these four texts without separators. If properties are selected,
 * they follow.
 */
export const CHECKED_RECORD: RecordShape = [{ isChecked: true }]
export const CHECKED_SELECTION: RecordShape = [{ isChecked: true }, { column: 'properties' }]

/** The smallest record, to find out whether there is one. */
export const PROBE_RECORD: RecordShape = [{ column: 'key' }]

/** Returns the bytes that a shape adds to a record's stored text: literals, id and separator. */
export function bytesOfShape(shape: RecordShape): number {
  return shape.reduce((bytes, part) => {
    if ('literal' in part) return bytes + part.literal.length
    if ('renamed' in part) return bytes + bytesOfNames(part.renamed)
    if ('isChecked' in part) return bytes + OBJECT_ID_LENGTH + CHECKED_NUMBERS_LENGTH
    return part.column === 'objectId' ? bytes + OBJECT_ID_LENGTH : bytes
  }, 1)
}

/** The checksum and the lengths, with their spaces. */
const CHECKED_NUMBERS_LENGTH = 28

/** The bytes that new names may add; the stored text has the old ones. */
function bytesOfNames(renamed: readonly RenamedProperty[]): number {
  return renamed.reduce(
    (bytes, { property, as }) => bytes + Math.max(0, as.length - property.length),
    0,
  )
}

export const OBJECT_ID_LENGTH = 36

/**
 * Finds the values that objects would lose, because a row replaces its object and the files have no
 * column for them. Empty cells are values of their own: they say that there is none.
 */
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import { OqsError } from '../../client/oqs-error.ts'
import { walkPages } from '../../client/query/walk-pages.ts'
import { countOf, formatCount } from '../../contract/count-of.ts'
import { RemediableError } from '../../formats/remedy.ts'
import {
  columnsOf,
  isUnreadable,
  ownValue,
  type ReadRow,
  type RowSource,
} from '../../formats/row.ts'
import type { PropertyType } from '../../ontology/definition/property-type.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { ColumnMismatch, type ColumnOptions, planColumns } from '../columns/column-plan.ts'
import { isRejected, type RowReader, rowReader } from '../columns/row-to-object.ts'
import { KeyHashes } from '../infer/key-hashes.ts'
import { isEmptyType } from './bulk-load.ts'

type Path = readonly string[]

type CheckEndpoints = Pick<Endpoints, 'objectSets' | 'revision1'>

export interface LossCheckTarget {
  readonly ontology: string
  readonly objectType: ObjectType
  readonly columns: ColumnOptions
}

/** Objects of one request, which keeps its body far below the limit of the service. */
const READ_OBJECTS = 1000

/** The properties of a type, and fields of structs, that some rows have no column for. */
class MissingColumns {
  readonly #target: LossCheckTarget
  #missing: readonly Path[]
  #seen: readonly string[] = []

  constructor(target: LossCheckTarget) {
    this.#target = target
    this.#missing = pathsOf(target.objectType)
  }

  get paths(): readonly Path[] {
    return this.#missing
  }

  /** Takes the columns of a row. */
  add(row: ReadRow, isJson: boolean): void {
    if (isUnreadable(row) || this.#missing.length === 0) return
    const names = columnsOf(row)
    if (names.length === this.#seen.length && names.every((name, at) => name === this.#seen[at])) {
      return
    }
    this.#seen = names
    const provided = this.#providedBy(names, isJson)
    this.#missing = this.#missing.filter(
      (path) => !provided.some((given) => given.every((step, at) => step === path[at])),
    )
  }

  #providedBy(names: readonly string[], isJson: boolean): readonly Path[] {
    const { objectType, columns } = this.#target
    try {
      const plan = planColumns(objectType, names, columns)
      return [
        ...[...plan.columns.values(), ...plan.geopoints.keys()].map((property) => [property]),
        ...[...plan.structs].flatMap(([property, fields]) =>
          fields.map(({ path }) => [property, ...path]),
        ),
        ...(columns.rowNumber === undefined ? [] : [[columns.rowNumber]]),
      ]
    } catch (error) {
      // Only the row is rejected.
      if (isJson && error instanceof ColumnMismatch) return []
      throw error
    }
  }
}

/** Returns the paths to all values of an object but its key. */
function pathsOf({ properties, primaryKey }: ObjectType): Path[] {
  const paths: Path[] = []
  const add = (path: Path, type: PropertyType) => {
    if (type.kind !== 'struct') paths.push(path)
    else for (const [name, field] of type.fields) add([...path, name], field)
  }
  for (const { apiName, type } of properties.values()) {
    if (apiName !== primaryKey.apiName) add([apiName], type)
  }
  return paths
}

/** Counts the values that objects would lose. */
class LossCheck {
  readonly #endpoints: CheckEndpoints
  readonly #target: LossCheckTarget
  readonly #known = new KeyHashes()
  readonly #values = new Map<string, number>()
  #objects = 0

  constructor(endpoints: CheckEndpoints, target: LossCheckTarget) {
    this.#endpoints = endpoints
    this.#target = target
  }

  /** Looks up the objects with these keys, which are canonical JSON. */
  async check(keys: readonly string[], missing: readonly Path[]): Promise<void> {
    const { ontology, objectType } = this.#target
    const { apiName, primaryKey } = objectType
    const open = missing.length === 0 ? [] : keys.filter((key) => this.#known.add(key))
    const select = [primaryKey.apiName, ...new Set(missing.map(([root = '']) => root))]
    for (let start = 0; start < open.length; start += READ_OBJECTS) {
      const value = open.slice(start, start + READ_OBJECTS).map((key) => JSON.parse(key) as unknown)
      const where = { type: 'in', field: primaryKey.apiName, value }
      const base = { type: 'base', objectType: apiName }
      const objectSet = { type: 'filter', objectSet: base, where }
      const request = { objectSet, select, pageSize: READ_OBJECTS, excludeRid: true }
      const pages = walkPages((pageToken) =>
        this.#endpoints.objectSets.loadObjects(ontology, { ...request, pageToken }),
      )
      for await (const { data } of pages) for (const record of data) this.#count(record, missing)
    }
  }

  #count(record: object, missing: readonly Path[]): void {
    const lost = missing.filter((path) => hasValue(record, path))
    if (lost.length > 0) this.#objects += 1
    for (const path of lost) {
      const name = path.join('.')
      this.#values.set(name, (this.#values.get(name) ?? 0) + 1)
    }
  }

  /** Throws if an object would lose a value. */
  refuseLoss(): void {
    if (this.#objects === 0) return
    const { ontology, objectType } = this.#target
    const names = [...this.#values].toSorted(([, a], [, b]) => b - a)
    const values = names.reduce((sum, [, count]) => sum + count, 0)
    const listed = names
      .slice(0, MAX_LISTED)
      .map(([name, count]) => `${name} (${formatCount(count)})`)
    const more = names.length > MAX_LISTED ? ` and ${names.length - MAX_LISTED} more` : ''
    throw new LostValues(
      `${countOf(this.#objects, 'object')} of ${ontology}/${objectType.apiName} would lose ${countOf(values, 'value')}, because the files have no column for ${listed.join(', ')}${more}`,
      { remedy: { do: 'mergeOrReplaceValues' } },
    )
  }
}

const MAX_LISTED = 10

class LostValues extends RemediableError {
  override readonly name = 'LostValues'
}

function hasValue(record: object, path: Path): boolean {
  let value: unknown = record
  for (const name of path) {
    if (typeof value !== 'object' || value === null) return false
    value = ownValue(value, name)
  }
  return value !== undefined && value !== null
}

interface OpenFile {
  readonly source: RowSource
}

export interface LossCheckRequest extends LossCheckTarget {
  /** Opens the files one after the other; called twice. */
  readonly open: () => AsyncIterable<OpenFile>
  readonly signal: AbortSignal
  readonly onProgress: (rows: number) => void
}

/** Throws `LostValues` if rows of files would take values from objects. Writes nothing. */
export async function refuseLostValues(
  endpoints: CheckEndpoints,
  request: LossCheckRequest,
): Promise<void> {
  const { objectType, ontology, signal } = request
  const missing: (readonly Path[])[] = []
  for await (const { source } of request.open()) {
    missing.push(await missingColumnsOf(source, request))
    signal.throwIfAborted()
  }
  const type = { ontology, objectType: objectType.apiName }
  if (missing.every(({ length }) => length === 0)) return
  try {
    if (await isEmptyType(endpoints, type)) return
  } catch (error) {
    throw isForbidden(error) ? cannotCheck(error) : error
  }
  const check = new LossCheck(endpoints, request)
  const readRow = rowReader(objectType, request.columns)
  let file = 0
  let rows = 0
  for await (const { source } of request.open()) {
    const paths = missing[file] ?? []
    file += 1
    // Rows are numbered over all files.
    const { rowNumber, numberRows } = request.columns
    if (paths.length === 0 && rowNumber === undefined && !numberRows) continue
    for await (const some of source.rows) {
      signal.throwIfAborted()
      const read = some.map((row) => readRow(row, source.kind))
      await check.check(
        read.flatMap((object) => (isRejected(object) ? [] : [object.key])),
        paths,
      )
      rows += some.length
      request.onProgress(rows)
    }
  }
  check.refuseLoss()
}

/**
 * Checks the rows of a pipe, which can be read only once: each batch is compared before it is sent,
 * with the columns of all rows until then.
 */
export function lossGuard(endpoints: CheckEndpoints, target: LossCheckTarget) {
  const missing = new MissingColumns(target)
  const check = new LossCheck(endpoints, target)
  return {
    /** Returns the reader, which also takes the columns of each row. */
    watch:
      (readRow: RowReader): RowReader =>
      (row, kind) => {
        missing.add(row, kind === 'json')
        return readRow(row, kind)
      },
    beforeBatch: async (objects: readonly { readonly key: string }[]): Promise<void> => {
      const keys = objects.map(({ key }) => key)
      await check.check(keys, missing.paths)
      check.refuseLoss()
    },
  }
}

/** Rows of JSON may have different columns; those of other files have the same ones. */
async function missingColumnsOf(
  { kind, rows }: RowSource,
  request: LossCheckRequest,
): Promise<readonly Path[]> {
  const missing = new MissingColumns(request)
  for await (const some of rows) {
    request.signal.throwIfAborted()
    for (const row of some) missing.add(row, kind === 'json')
    if (missing.paths.length === 0 || kind !== 'json') break
  }
  return missing.paths
}

function isForbidden(error: unknown): boolean {
  return error instanceof OqsError && error.statusCode === 403
}

function cannotCheck(cause: unknown): Error {
  return new LostValues(
    'the files lack columns of the type, and the token cannot read which values objects would lose',
    { remedy: { do: 'mergeOrReplaceValues' }, cause },
  )
}

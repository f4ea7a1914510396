/** Reads the changes of a batch as its bytes arrive: one per line, each put or delete. */
import { ObjectQueryError } from '../../contract/errors.ts'
import { BATCH_MAX_BYTES, BATCH_MAX_CHANGES } from '../../contract/limits.ts'
import { BlankLines } from '../../formats/blank-lines.ts'
import { isBlank, LineSplitter, type SplitLine } from '../../formats/lines.ts'
import { isUnreadable, RECORD_MAX_BYTES } from '../../formats/row.ts'
import { isJsonObject } from '../../ontology/json-object.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { constraintViolated } from '../../ontology/values/constraint-violated.ts'
import {
  type Creation,
  objectReader,
  RefusedObject,
  readObjectKey,
  ViolatingObject,
} from '../../ontology/values/read-object.ts'
import { plainReader } from '../../ontology/values/read-plain.ts'
import type { Change } from '../../store/object-store.ts'

/** The bytes around an object in its line: `{"put":` and `}`. */
const CHANGE_BYTES = 16

export interface BatchLimits {
  readonly maxBytes: number
  readonly maxLineBytes: number
  readonly maxChanges: number
}

export const BATCH_LIMITS: BatchLimits = {
  maxBytes: BATCH_MAX_BYTES,
  maxLineBytes: RECORD_MAX_BYTES + CHANGE_BYTES,
  maxChanges: BATCH_MAX_CHANGES,
}

/** The maximum number of invalid lines to report before reading stops. */
const MAX_INVALID_LINES = 100

interface InvalidLine {
  readonly line: number
  readonly property?: string
  readonly reason: string
  /** Set if the values of the line only violate constraints. */
  readonly violating?: ViolatingObject
}

/** What becomes of a line; throws `RefusedObject` for an invalid one. */
interface LineMakers<Item> {
  readonly put: (value: unknown, line: number) => Item
  /** Makes a put of the text of an object that is plain; returns undefined for any other. */
  readonly plainPut?: (body: string) => Item | undefined
  readonly delete: (pk: string, line: number) => Item
}

/** Returns how lines become changes of a store. Every object may be a new one. */
export function changeMakers(objectType: ObjectType, creation: Creation): LineMakers<Change> {
  const readObject = objectReader(objectType)
  const readPlain = plainReader(objectType)
  return {
    put: (value) => ({ put: readObject(value, creation) }),
    ...(readPlain && {
      plainPut: (body) => {
        const put = readPlain(body)
        return put && { put }
      },
    }),
    delete: (pk) => ({ delete: pk }),
  }
}

/**
 * Checks and serialises the changes of one batch. Throws `RequestEntityTooLarge` beyond a limit, and
 * `InvalidBatchLine` or `ConstraintViolated` at the end, or as soon as enough lines are invalid.
 */
export class ChangeReader<Item> {
  readonly #objectType: ObjectType
  readonly #limits: BatchLimits
  readonly #makers: LineMakers<Item>
  readonly #splitter: LineSplitter
  readonly #invalid: InvalidLine[] = []
  readonly #blankLines: BlankLines
  #bytes = 0
  #count = 0

  constructor(
    objectType: ObjectType,
    makers: LineMakers<Item>,
    limits: BatchLimits = BATCH_LIMITS,
  ) {
    this.#objectType = objectType
    this.#limits = limits
    this.#makers = makers
    this.#splitter = new LineSplitter(limits.maxLineBytes)
    // Other lines are changes, or invalid, and limited as well.
    this.#blankLines = new BlankLines(limits.maxChanges)
  }

  /** Returns the changes whose lines are complete now. */
  take(bytes: Uint8Array): readonly Item[] {
    const { maxBytes } = this.#limits
    this.#bytes += bytes.length
    if (this.#bytes > maxBytes) {
      throw new ObjectQueryError('Default:RequestEntityTooLarge', { maxBytes })
    }
    return this.#read(this.#splitter.take(bytes))
  }

  /** Returns the change of a last line without a line feed. */
  end(): readonly Item[] {
    const last = this.#splitter.end()
    const changes = last === undefined ? [] : this.#read([last])
    if (this.#invalid.length > 0) throw this.#invalidLines()
    return changes
  }

  #read(lines: readonly SplitLine[]): readonly Item[] {
    const changes: Item[] = []
    for (const line of lines) {
      if (!isUnreadable(line) && isBlank(line.text)) {
        const reason = this.#blankLines.addBlank()
        if (reason === undefined) continue
        this.#invalid.push({ line: line.number, reason })
        throw this.#invalidLines()
      }
      this.#blankLines.addRow()
      const read = this.#readLine(line)
      if ('invalid' in read) this.#invalid.push(read.invalid)
      else changes.push(read.item)
    }
    const { maxChanges } = this.#limits
    this.#count += changes.length
    if (this.#count > maxChanges) {
      throw new ObjectQueryError('Default:RequestEntityTooLarge', { maxChanges })
    }
    if (this.#invalid.length >= MAX_INVALID_LINES) throw this.#invalidLines()
    // The batch will be refused; the rest is only checked.
    return this.#invalid.length === 0 ? changes : []
  }

  #readLine(line: SplitLine): { readonly item: Item } | { readonly invalid: InvalidLine } {
    if (isUnreadable(line)) return { invalid: { line: line.line, reason: line.reason } }
    const { number, text } = line
    const { put, plainPut, delete: remove } = this.#makers
    if (plainPut !== undefined && text.startsWith(PLAIN_START) && text.endsWith(PLAIN_END)) {
      const item = plainPut(text.slice(PLAIN_START.length - 1, -1))
      if (item !== undefined) return { item }
    }
    const [kind, value] = readMember(text, CHANGES)
    if (kind === 'invalid') return { invalid: { line: number, reason: String(value) } }
    try {
      const item =
        kind === 'put'
          ? put(value, number)
          : remove(readObjectKey(this.#objectType, value).pk, number)
      return { item }
    } catch (error) {
      if (!(error instanceof RefusedObject)) throw error
      const { reason, property } = error
      const violating = error instanceof ViolatingObject && { violating: error }
      const invalid = { line: number, ...(property !== undefined && { property }), reason }
      return { invalid: { ...invalid, ...violating } }
    }
  }

  #invalidLines(): ObjectQueryError {
    const invalid = this.#invalid.slice(0, MAX_INVALID_LINES)
    const violating = invalid.flatMap(({ violating: object, line }) =>
      object === undefined ? [] : [{ object, line }],
    )
    if (violating.length === invalid.length) {
      return constraintViolated(this.#objectType.apiName, violating)
    }
    const refused = invalid.map(({ violating: _, ...line }) => line)
    return new ObjectQueryError('InvalidBatchLine', { ...refused[0], refused })
  }
}

/** What is around the members of an object in a line without spaces. */
const PLAIN_START = '{"put":{'
const PLAIN_END = '}}'

const CHANGES = {
  names: ['put', 'delete'],
  reason: 'is neither {"put": {…}} nor {"delete": primaryKey}',
} as const

/** Returns the only member of a line: its name, which must be one of these, and its value. */
export function readMember<Name extends string>(
  text: string,
  { names, reason }: { readonly names: readonly Name[]; readonly reason: string },
): [kind: Name, value: unknown] | [kind: 'invalid', reason: string] {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return ['invalid', 'is not JSON; each line must contain one change']
  }
  if (isJsonObject(json)) {
    const members = Object.keys(json)
    const name = names.find((one) => one === members[0])
    if (members.length === 1 && name !== undefined) return [name, json[name]]
  }
  return ['invalid', reason]
}

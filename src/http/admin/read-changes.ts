/** Reads the changes of a batch: one per line, each put or delete. */

import type { MemoryReservation } from '../../admission/memory-budget.ts'
import { nextTurn } from '../../admission/next-turn.ts'
import { ObjectQueryError } from '../../contract/errors.ts'
import { BATCH_MAX_BYTES, BATCH_MAX_CHANGES } from '../../contract/limits.ts'
import { isUnreadable, RECORD_MAX_BYTES } from '../../formats/row.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import {
  objectSteps,
  RefusedObject,
  readObjectKey,
  type StoredObject,
} from '../../ontology/values/read-object.ts'
import { isJsonObject } from '../../ontology/values/refused-value.ts'
import { finish, finishInTurns, type Steps } from '../../ontology/values/steps.ts'
import type { Change } from '../../store/object-store.ts'
import { type Line, readLines } from './read-lines.ts'

/** The bytes around an object in its line: `{"put":` and `}`. */
const CHANGE_BYTES = 16
const LINE_LIMITS = { maxBytes: BATCH_MAX_BYTES, maxLineBytes: RECORD_MAX_BYTES + CHANGE_BYTES }
/** The memory of a change until it is written; measured. */
const MEMORY_PER_CHANGE = 2000

/** Yields the changes of a batch. Throws `InvalidBatchLine` if any line is invalid. */
export async function* readChanges(
  chunks: AsyncIterable<Buffer>,
  objectType: ObjectType,
  memory: MemoryReservation,
): AsyncGenerator<readonly Change[]> {
  const readObject = objectSteps(objectType)
  const invalid: InvalidLine[] = []
  let count = 0
  for await (const lines of readLines(chunks, LINE_LIMITS)) {
    const changes: Change[] = []
    for (const line of lines) {
      const change = isUnreadable(line)
        ? { line: line.line, reason: line.reason }
        : isLong(line)
          ? await finishInTurns(readChange(line, objectType, readObject), nextTurn)
          : finish(readChange(line, objectType, readObject))
      if ('reason' in change) invalid.push(change)
      else changes.push(change)
    }
    count += changes.length
    memory.grow(changes.length * MEMORY_PER_CHANGE)
    if (count > BATCH_MAX_CHANGES) {
      throw new ObjectQueryError('Default:RequestEntityTooLarge', {
        maxChanges: BATCH_MAX_CHANGES,
      })
    }
    if (invalid.length >= MAX_INVALID_LINES) break
    // The store handles the changes in a turn of its own.
    if (lines.some((line) => !isUnreadable(line) && isLong(line))) await nextTurn()
    if (invalid.length === 0) yield changes
  }
  const [first] = invalid
  if (first !== undefined) {
    throw new ObjectQueryError('InvalidBatchLine', {
      ...first,
      refused: invalid.slice(0, MAX_INVALID_LINES),
    })
  }
}

/** The maximum number of invalid lines to report before reading stops. */
const MAX_INVALID_LINES = 100

interface InvalidLine {
  readonly line: number
  readonly property?: string
  readonly reason: string
}

/** Returns whether parsing a line takes so long that other requests need a turn in between. */
function isLong({ text }: Line): boolean {
  return text.length > LONG_LINE
}

const LONG_LINE = 64 * 1024

function* readChange(
  line: Line,
  objectType: ObjectType,
  readObject: (properties: unknown) => Steps<StoredObject>,
): Steps<Change | InvalidLine> {
  const { number } = line
  const [kind, value] = readMember(line.text)
  // Parsing a long text is a step of its own.
  if (isLong(line)) yield
  if (kind === 'invalid') return { line: number, reason: value }
  try {
    return kind === 'put'
      ? { put: yield* readObject(value) }
      : { delete: readObjectKey(objectType, value).pk }
  } catch (error) {
    if (!(error instanceof RefusedObject)) throw error
    const { reason, property } = error
    return property === undefined ? { line: number, reason } : { line: number, property, reason }
  }
}

type Member = [kind: 'put' | 'delete', value: unknown] | [kind: 'invalid', reason: string]

/** Returns the only member of a line: the kind of change, and its value. */
function readMember(text: string): Member {
  let json: unknown
  try {
    json = JSON.parse(text)
  } catch {
    return ['invalid', 'is not JSON; each line must contain one change']
  }
  const [member, ...others] = isJsonObject(json) ? Object.entries(json) : []
  if (
    member === undefined ||
    others.length > 0 ||
    (member[0] !== 'put' && member[0] !== 'delete')
  ) {
    return ['invalid', 'is neither {"put": {…}} nor {"delete": primaryKey}']
  }
  return [member[0], member[1]]
}

/** Conditional writes: `If-Match` and `If-None-Match` on an entity tag (RFC 9110, 13.1). */
import type { IncomingHttpHeaders } from 'node:http'
import { invalidArgument, ObjectQueryError } from '../../contract/errors.ts'
import {
  flatRecordShape,
  type PlainRecordShape,
  recordShape,
} from '../../contract/object-record.ts'
import { renderRecord } from '../../contract/render-record.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { CurrentObject } from '../../store/object-store.ts'
import { etagOfBytes } from '../response/send-data.ts'

/** The conditions of a write on the current state of what it writes. */
export interface Preconditions {
  readonly ifMatch: TagList | undefined
  readonly ifNoneMatch: TagList | undefined
}

/** The name of a header whose condition does not hold. */
type FailedHeader = 'If-Match' | 'If-None-Match'

type TagList = '*' | readonly string[]

export function readPreconditions(headers: IncomingHttpHeaders): Preconditions {
  return {
    ifMatch: readTags('If-Match', headers['if-match']),
    ifNoneMatch: readTags('If-None-Match', headers['if-none-match']),
  }
}

const TAG = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/
const TAG_LIST = new RegExp(`^\\s*${TAG.source}\\s*(?:,\\s*${TAG.source}\\s*)*$`)

function readTags(header: FailedHeader, value: string | undefined): TagList | undefined {
  if (value === undefined) return undefined
  if (value.trim() === '*') return '*'
  if (!TAG_LIST.test(value)) {
    throw invalidArgument(header, 'is neither * nor a list of entity tags in quotes')
  }
  return value.match(new RegExp(TAG, 'g')) ?? []
}

/** Returns the entity tags of something that exists: one for each representation of it. */
export type ReadTags = () => readonly string[]

/** Returns whether a write has conditions. */
export function isConditional({ ifMatch, ifNoneMatch }: Preconditions): boolean {
  return ifMatch !== undefined || ifNoneMatch !== undefined
}

/**
 * Throws `PreconditionFailed` if a condition does not hold. `current` is undefined if there is nothing
 * yet; `target` names what the request writes. Must be called inside of the write, or before a write
 * that fails if the state has changed since.
 */
export function requirePreconditions(
  { ifMatch, ifNoneMatch }: Preconditions,
  current: ReadTags | undefined,
  target: Readonly<Record<string, string>>,
): void {
  const fail = (parameter: FailedHeader) => {
    throw new ObjectQueryError('PreconditionFailed', { parameter, ...target })
  }
  if (ifMatch !== undefined && !matches(ifMatch, current)) fail('If-Match')
  // Weak comparison: only the opaque part counts.
  const weak = ifNoneMatch === '*' ? '*' : ifNoneMatch?.map((tag) => tag.replace(/^W\//, ''))
  if (weak !== undefined && matches(weak, current)) fail('If-None-Match')
}

function matches(tags: TagList, current: ReadTags | undefined): boolean {
  if (current === undefined) return false
  return tags === '*' || current().some((tag) => tags.includes(tag))
}

/** Returns the entity tags of an object. */
export function objectTags(objectType: ObjectType, current: CurrentObject): readonly string[] {
  return shapesOf(objectType).map((shape) => tagOf(shape, current))
}

/** The records that the endpoints for one object return, each with its own entity tag. */
function shapesOf(objectType: ObjectType): readonly PlainRecordShape[] {
  return [
    recordShape('1.0', objectType.apiName),
    recordShape('2.0', objectType.apiName),
    flatRecordShape(objectType, { excludeRid: false }),
    flatRecordShape(objectType, { excludeRid: true }),
  ]
}

function tagOf(shape: PlainRecordShape, current: CurrentObject): string {
  return etagOfBytes(renderRecord(shape, current))
}

/** Returns the entity tag of an object in revision 1.0. */
export function objectTag(objectType: ObjectType, object: CurrentObject): string {
  return tagOf(recordShape('1.0', objectType.apiName), object)
}

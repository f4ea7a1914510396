/** Conditional writes: `If-Match` and `If-None-Match` on the entity tag of an object (RFC 9110, 13.1). */
import type { IncomingHttpHeaders } from 'node:http'
import { invalidArgument } from '../../contract/errors.ts'
import {
  flatRecordShape,
  type PlainRecordShape,
  recordShape,
} from '../../contract/object-record.ts'
import { renderRecord } from '../../contract/render-record.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import type { CurrentObject } from '../../store/object-store.ts'
import { etagOfBytes } from '../response/entity-tag.ts'

/** The conditions of a write on the current object. */
export interface Preconditions {
  readonly ifMatch: TagList | undefined
  readonly ifNoneMatch: TagList | undefined
}

/** The name of a header whose condition does not hold. */
export type FailedHeader = 'If-Match' | 'If-None-Match'

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

/** Returns the header whose condition does not hold, or undefined if the write may proceed. */
export function failedPrecondition(
  { ifMatch, ifNoneMatch }: Preconditions,
  objectType: ObjectType,
  current: CurrentObject | undefined,
): FailedHeader | undefined {
  if (ifMatch !== undefined && !matches(ifMatch, objectType, current)) return 'If-Match'
  // Weak comparison: only the opaque part counts.
  const weak = ifNoneMatch === '*' ? '*' : ifNoneMatch?.map((tag) => tag.replace(/^W\//, ''))
  return weak !== undefined && matches(weak, objectType, current) ? 'If-None-Match' : undefined
}

function matches(
  tags: TagList,
  objectType: ObjectType,
  current: CurrentObject | undefined,
): boolean {
  if (current === undefined) return false
  if (tags === '*') return true
  return shapesOf(objectType).some((shape) => tags.includes(tagOf(shape, current)))
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

import { describe, expect, it } from 'vitest'
import { PROBE_RECORD } from '../../contract/object-record.ts'
import type { ObjectType } from '../../ontology/ontology.ts'
import { SALT_BYTES, TokenKeys } from '../../paging/token-keys.ts'
import { shortHash, WalkTokens } from '../../paging/walk-tokens.ts'
import { EVERYTHING } from '../../query/query.ts'
import { etagInputsOf } from './read-object-page.ts'

const lifetime = { ttlSeconds: 1, snapshotMaxAgeSeconds: 1, changesMaxAgeSeconds: 1 }
const keysOf = (byte: number) => new TokenKeys([Buffer.alloc(32, byte)], Buffer.alloc(SALT_BYTES))
const tokens = new WalkTokens(keysOf(1), lifetime)

const TYPE: ObjectType = {
  apiName: 'city',
  rid: 'ri.city',
  primaryKey: { apiName: 'id', type: 'string' },
  titleProperty: 'name',
  retrievalLimit: undefined,
  access: 'all',
  properties: new Map(),
}
const part = (objectType: ObjectType, query = EVERYTHING) => ({
  objectType,
  query,
  record: { shape: PROBE_RECORD, selection: undefined },
})
const PAGE = {
  binding: { request: shortHash('request'), caller: shortHash('caller') },
  parts: [part(TYPE)],
  isPartial: false,
  startedAtMs: undefined,
  version: 7,
  rowIds: undefined,
  totalCount: undefined,
}
const tagOf = (page: Parameters<typeof etagInputsOf>[0], of = tokens) =>
  etagInputsOf(page, of).join('.')

describe('the entity tag of a page of objects', () => {
  it.each([
    ['its request', { binding: { ...PAGE.binding, request: shortHash('other') } }],
    ['the name of its type', { parts: [part({ ...TYPE, apiName: 'town' })] }],
    ['the title of its type', { parts: [part({ ...TYPE, titleProperty: 'id' })] }],
    ['the types of a set', { parts: [part(TYPE), part({ ...TYPE, apiName: 'town' })] }],
    ['its version', { version: 8 }],
    ['the version of a linked type', { linkedVersions: [1] }],
    ['another version of a linked type', { linkedVersions: [2] }],
    ['its rows', { rowIds: '1 2 3' }],
    ['what the caller sees', { isPartial: true }],
    ['its count', { totalCount: 5 }],
    ['relative dates', { startedAtMs: 1 }],
  ])('changes with %s', (_, change) => {
    expect(tagOf({ ...PAGE, ...change })).not.toBe(tagOf(PAGE))
  })

  it('changes with the days that relative dates mean', () => {
    const from = (ids: string[]) => [part(TYPE, { kind: 'objectIds', ids })]
    const [one, other] = [from(['1']), from(['2'])].map((parts) =>
      tagOf({ ...PAGE, parts, startedAtMs: 1 }),
    )
    expect(one).not.toBe(other)
    expect(tagOf({ ...PAGE, startedAtMs: 1 })).toBe(tagOf({ ...PAGE, startedAtMs: 2 }))
  })

  it('keeps versions and rows from a caller who sees only a part', () => {
    const partial = { ...PAGE, isPartial: true }
    expect(tagOf({ ...partial, version: 8, linkedVersions: [1] })).toBe(tagOf(partial))
    const rows = { ...partial, rowIds: '1 2 3' }
    expect(tagOf(rows, new WalkTokens(keysOf(2), lifetime))).not.toBe(tagOf(rows))
  })

  it('keeps the versions of several types apart', () => {
    const versions = (version: number, linked: number) =>
      tagOf({ ...PAGE, version, linkedVersions: [linked] })
    expect(versions(1, 23)).not.toBe(versions(12, 3))
  })
})

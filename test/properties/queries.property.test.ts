/**
 * Random types, data and queries: the pages of a store, as of any version, match the model. Cases
 * come in groups that share a type and its data; a case is one query.
 */

import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import fc from 'fast-check'
import { afterEach, expect, it } from 'vitest'
import { recordShape } from '../../src/contract/object-record.ts'
import { planChange } from '../../src/ontology/definition/change-definition.ts'
import type { ObjectType } from '../../src/ontology/ontology.ts'
import { objectReader, readObjectKey } from '../../src/ontology/values/read-object.ts'
import type { Query } from '../../src/query/query.ts'
import { checkSelection } from '../../src/query/selection.ts'
import { openStore } from '../../src/server/open-store.ts'
import type { ObjectStore, StoredPage } from '../../src/store/object-store.ts'
import { type ColumnStore, openColumnStore } from '../support/column-store.ts'
import { fcOptions } from '../support/fc-options.ts'
import { leaveUnindexed } from '../support/leave-unindexed.ts'
import {
  type GeneratedChange,
  type GeneratedType,
  type History,
  histories,
  PROPERTY_NAMES,
} from '../support/query-arbitraries.ts'
import { evaluate, own, type Properties, refusalOf, select } from '../support/query-model.ts'
import { explainFailure, type Failing, failureOf } from '../support/query-reduce.ts'
import { type Request, requests } from '../support/query-requests.ts'
import { pageRequest, retention } from '../support/store-fixture.ts'
import { createTestStore, type TestStore } from '../support/test-store.ts'
import { toOrder, toQuery } from '../support/to-query.ts'

const CASES_PER_GROUP = 40
const TYPES_PER_STORE = 60

interface Case extends Request {
  /** The page sizes, used in turn. */
  readonly sizes: readonly number[]
  readonly maxBytes: number
  /** The index of the version to read; undefined reads the latest without a snapshot. */
  readonly version: number | undefined
  readonly revision: '1.0' | '2.0'
  /** A wrong estimate, so that the store chooses another plan. */
  readonly matchEstimate: number | undefined
  readonly includeTotalCount: boolean
}

interface Group extends History {
  readonly cases: readonly Case[]
  /** True if the oldest version is reclaimed before the queries run. */
  readonly isReclaimed: boolean
  /** True if the properties have no index. */
  readonly isUnindexed: boolean
}

// JSON bodies cannot define this name, but a store accepts it.
const names = [...PROPERTY_NAMES, '__proto__']

const groups: fc.Arbitrary<Group> = histories(names).chain((history) =>
  fc
    .record({
      cases: fc.array(cases(history.type), {
        minLength: CASES_PER_GROUP,
        maxLength: CASES_PER_GROUP,
      }),
      isReclaimed: fc.boolean(),
      isUnindexed: fc.boolean(),
    })
    // A failure prints its shrunken case, not the whole group.
    .map((rest) => ({ ...history, ...rest, [fc.toStringMethod]: () => 'see the cause' })),
)

function cases(type: GeneratedType): fc.Arbitrary<Case> {
  return fc
    .record({
      request: requests(type),
      sizes: fc.array(fc.integer({ min: 1, max: 20 }), { minLength: 1, maxLength: 4 }),
      maxBytes: fc.constantFrom(1_000_000, 1_000_000, 1_000_000, 500),
      version: fc.option(fc.nat(3), { nil: undefined, freq: 2 }),
      revision: fc.constantFrom('1.0' as const, '2.0' as const),
      matchEstimate: fc.option(fc.constant(1_000_000), { nil: undefined, freq: 4 }),
      includeTotalCount: fc.boolean(),
    })
    .map(({ request, ...rest }) => ({ ...request, ...rest }))
}

let place: TestStore
let store: ObjectStore
let typesMade = 0
/** What answers: the database alone, or columns where they can. */
let source: 'database' | 'columns' = 'database'
let columns: ColumnStore | undefined
afterEach(closeStore)

async function openFreshStore(): Promise<void> {
  place = await createTestStore()
  columns = source === 'columns' ? await openColumnStore(place.name) : undefined
  store = columns?.store ?? (await openStore(place.name))
}

async function closeStore(): Promise<void> {
  await (columns ?? store)[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
}

const { numRuns, ...seed } = fcOptions(1000, 300)
const numGroups = Math.max(1, Math.ceil(numRuns / CASES_PER_GROUP))

it.each(['database', 'columns'] as const)(
  'pages of every query match the model, as of any version: %s',
  {
    timeout: 600_000 + numRuns * 100,
  },
  async (from) => {
    source = from
    await openFreshStore()
    await fc.assert(
      fc.asyncProperty(fc.noShrink(groups), async ({ type, cases, ...history }) => {
        const { commits } = history
        const check = await prepare(type, history)
        for (const how of cases) {
          const failure = await failureOf(() => check(how))
          if (failure === undefined) continue
          const again = async (smaller: Failing<Case>) =>
            (await prepare(type, { ...history, commits: smaller.commits }))(smaller.how)
          throw await explainFailure(type, { commits, how }, PLAIN, failure, again)
        }
      }),
      { ...seed, numRuns: numGroups },
    )
  },
)

/** The simplest case, towards which failures shrink. */
const PLAIN: Partial<Case> = {
  sizes: [1000],
  maxBytes: 1_000_000,
  version: undefined,
  revision: '1.0',
  matchEstimate: undefined,
  includeTotalCount: true,
}

/** Writes a history into a new type; returns a function that checks a case. */
async function prepare(
  type: GeneratedType,
  { commits, isReclaimed, isUnindexed }: Pick<Group, 'commits' | 'isReclaimed' | 'isUnindexed'>,
): Promise<(how: Case) => Promise<void>> {
  const objectType = await freshType(type)
  if (isUnindexed) leaveUnindexed(place.name, objectType)
  const versions = await commitAll(objectType, commits)
  const reclaimed = isReclaimed ? await reclaimFirst(versions) : 0
  const readable = versions.slice(reclaimed)
  return (how) => checkCase(objectType, type, readable, how)
}

async function freshType({ definition }: GeneratedType): Promise<ObjectType> {
  typesMade += 1
  // Saving an ontology takes longer the more ontologies there are.
  if (typesMade % TYPES_PER_STORE === 0) {
    await closeStore()
    await openFreshStore()
  }
  const apiName = `ontology-${typesMade}`
  const ontology = { apiName, objectTypes: [{ apiName: 'thing', ...definition }] }
  const change = planChange(apiName, ontology, await store.readCatalogue(), randomUUID)
  await store.saveOntology(change)
  const saved = (await store.readCatalogue()).find(apiName)?.objectTypes.get('thing')
  if (saved === undefined) throw new Error('the type was not saved')
  return saved
}

/** The objects of one version. */
interface Version {
  readonly number: number
  /** When maintenance first saw it; only meaningful for the second version. */
  readonly seenAtMs: number
  readonly objects: ReadonlyMap<string, Properties>
}

let clockMs = 0

async function commitAll(objectType: ObjectType, commits: History['commits']): Promise<Version[]> {
  const { generation } = await store.readCatalogue()
  const readObject = objectReader(objectType)
  const versions: Version[] = []
  for (const changes of commits) {
    clockMs += 1
    const { version } = await store.commit({
      objectType,
      changes: changes.map((change) =>
        'put' in change
          ? { put: readObject(change.put) }
          : { delete: readObjectKey(objectType, change.delete).pk },
      ),
      basedOn: generation,
    })
    const objects = applied(versions.at(-1)?.objects, changes)
    // A commit without changes creates no version.
    if (versions.at(-1)?.number === version) continue
    versions.push({ number: version, seenAtMs: clockMs, objects })
    if (versions.length === 2) await store.reclaim(retention(clockMs, 1))
  }
  return versions
}

function applied(
  before: ReadonlyMap<string, Properties> | undefined,
  changes: readonly GeneratedChange[],
): ReadonlyMap<string, Properties> {
  const objects = new Map(before)
  for (const change of changes) {
    if ('put' in change) objects.set(String(change.key), change.kept)
    else objects.delete(String(change.key))
  }
  return objects
}

/** Reclaims the first version, if there are more; returns how many were reclaimed. */
async function reclaimFirst([, second]: readonly Version[]): Promise<number> {
  if (second === undefined) return 0
  await store.reclaim(retention(clockMs, clockMs - second.seenAtMs))
  return 1
}

async function checkCase(
  objectType: ObjectType,
  type: GeneratedType,
  versions: readonly Version[],
  how: Case,
): Promise<void> {
  const current = versions.at(-1)
  const asOf = how.version === undefined ? current : versions[how.version % versions.length]
  if (current === undefined || asOf === undefined) throw new Error('no version')
  const found = evaluate(type.model, asOf.objects.values(), how.condition, how.order)
  const expected = found.map((object) => recordOf(type, object, how))
  const refusal = refusalOf(type.model, how.condition)
  if (refusal !== undefined) {
    expect(() => toQuery(how.condition, objectType)).toThrow(refusal)
    return
  }
  const query = toQuery(how.condition, objectType)
  const isFiltered = query.kind !== 'everything'
  const { records, totalCount } = await walk(objectType, query, how, asOf.number, expected.length)
  if (!isDeepStrictEqual(records, expected)) {
    expect(records, `${JSON.stringify(how)} as of ${asOf.number}`).toEqual(expected)
    throw new Error(`not the same: ${JSON.stringify({ how, records, expected })}`)
  }
  // Without conditions the count is that of the live objects: a walk keeps the first page's.
  const counted = isFiltered ? found.length : current.objects.size
  if (how.includeTotalCount || !isFiltered) expect(totalCount).toBe(counted)
}

function recordOf({ model, definition }: GeneratedType, object: Properties, how: Case): unknown {
  const properties = select(model, object, how.selection)
  if (how.revision === '1.0') return { properties }
  const title = definition.titleProperty && own(object, definition.titleProperty)
  return {
    primaryKey: String(own(object, model.primaryKey)),
    objectType: 'thing',
    ...(title === undefined ? {} : { title: String(title) }),
    properties,
  }
}

/** Walks as the service does: each page starts after the last row of the previous one. */
async function walk(
  objectType: ObjectType,
  query: Query,
  how: Case,
  version: number,
  expected: number,
): Promise<{ records: unknown[]; totalCount: number | undefined }> {
  const order = toOrder(how.order, objectType)
  const record = {
    shape: recordShape(how.revision, objectType.apiName),
    selection: checkSelection(how.selection, objectType),
  }
  const records: unknown[] = []
  let page: StoredPage | undefined
  const isFiltered = query.kind !== 'everything'
  let totalCount: number | undefined
  let { matchEstimate } = how
  for (let pages = 0; page === undefined || page.more; pages += 1) {
    const maxObjects = how.sizes[pages % how.sizes.length] ?? 1
    const read = await store.readPage(
      pageRequest(objectType, {
        query,
        order,
        record,
        after: page?.last,
        version: how.version === undefined ? undefined : version,
        maxObjects,
        maxBytes: how.maxBytes,
        includeTotalCount: how.includeTotalCount && totalCount === undefined,
        matchEstimate,
      }),
    )
    if (read === 'reclaimed') throw new Error(`version ${version} is gone`)
    page = read
    if (isFiltered) totalCount ??= page.totalCount
    matchEstimate ??= page.matchEstimate
    const shown = JSON.parse(`[${Buffer.from(page.records).toString()}]`) as object[]
    records.push(...shown.map(withoutRid))
    expect(page.count).toBe(shown.length)
    expect(page.version).toBe(version)
    expect(page.count).toBeLessThanOrEqual(maxObjects)
    expect(page.last === undefined).toBe(page.count === 0)
    // A page with more to follow is full, unless it reached its byte budget, and never empty.
    if (page.more) expect(page.count).toBeGreaterThanOrEqual(how.maxBytes > 1000 ? maxObjects : 1)
    expect(records.length, `more than ${expected} objects`).toBeLessThanOrEqual(expected + 1000)
  }
  return { records, totalCount: isFiltered ? totalCount : page?.totalCount }
}

function withoutRid(record: object): object {
  return Object.fromEntries(Object.entries(record).filter(([name]) => name !== 'rid'))
}

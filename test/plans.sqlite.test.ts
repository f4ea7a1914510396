/** SQLite's query plans of the main kinds of pages: each walks an index, none sorts a whole table. */
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { recordShape } from '../src/contract/object-record.ts'
import type { OntologyDefinition } from '../src/ontology/definition/definition-schema.ts'
import type { ObjectType } from '../src/ontology/ontology.ts'
import { checkOrder, parseOrderText } from '../src/query/parse/order.ts'
import { parseQuery } from '../src/query/parse/parse-query.ts'
import { REVISION_1_QUERIES } from '../src/query/parse/revision-1-query-language.ts'
import type { Query } from '../src/query/query.ts'
import { readBuiltTable, type TableLayout } from '../src/store/core/catalogue/build-table.ts'
import { ALL_INDEXED } from '../src/store/sql/compile/field-numbers.ts'
import type { KeysetCursor } from '../src/store/sql/compile/keyset-sql.ts'
import { KnownFields } from '../src/store/sqlite/catalogue/known-fields.ts'
import { fieldsInLayout } from '../src/store/sqlite/catalogue/table-fields.ts'
import { selectByObjectId } from '../src/store/sqlite/catalogue/table-layout.ts'
import { type TableHead, VISIBLE } from '../src/store/sqlite/catalogue/type-head.ts'
import { runIn, SqliteSession, StatementCache } from '../src/store/sqlite/file/sqlite-session.ts'
import { openSqliteStore } from '../src/store/sqlite/open.ts'
import { listedRecordsSql, listedSizesSql, pageSql } from '../src/store/sqlite/pages/page-sql.ts'
import {
  countCurrentRows,
  findRowsSql,
  type RowSearch,
  type RowSearchOptions,
} from '../src/store/sqlite/queries/find-rows.ts'
import { querySql } from '../src/store/sqlite/queries/query-sql.ts'
import { type QueryTables, queryTables } from '../src/store/sqlite/queries/query-tables.ts'
import { addTestFunction, RowTests } from '../src/store/sqlite/queries/row-tests.ts'
import { createFixture } from './support/store-fixture.ts'
import { tempFolder } from './support/temp-folder.ts'

const DEFINITION: OntologyDefinition = {
  apiName: 'things',
  objectTypes: [
    {
      apiName: 'thing',
      primaryKey: 'k',
      properties: {
        k: { type: 'string' },
        a: { type: 'integer' },
        b: { type: 'string' },
        tags: { type: 'array', items: { type: 'string' } },
        notes: { type: 'string' },
        at: { type: 'timestamp' },
      },
    },
  ],
}

const LAYOUT: TableLayout = {
  ...ALL_INDEXED,
  prefixFields: new Set(['notes']),
  indexedVersion: 1,
}

const TABLE: TableHead = {
  table: 1,
  firstVersion: 0,
  loadedAs: 0,
  liveCount: 1,
  maxRecordBytes: 100,
  isCreated: true,
  closedCount: 0,
  stagedCount: undefined,
  layout: LAYOUT,
}

describe('the plan of', () => {
  const folder = tempFolder()
  const path = join(folder.path, 'oqs.db')
  let type: ObjectType
  let db: DatabaseSync
  beforeAll(async () => {
    await using store = openSqliteStore(path)
    const things = await createFixture(store, DEFINITION)
    type = things.type
    // The table is created with the first object.
    await things.put([{ k: 'a', notes: 'n'.repeat(65) }])
    db = new DatabaseSync(path, { readOnly: true })
    addTestFunction(db, new RowTests())
    const table = runIn(connection(), (session) => readBuiltTable(session, 1))
    expect(table).toMatchObject(LAYOUT)
  })
  afterAll(() => {
    db.close()
    folder[Symbol.dispose]()
  })

  function searchFor(query: object | undefined, orderBy?: string): RowSearch {
    const limits = { maxDepth: 3, maxTerms: 100, maxTextLength: 100 }
    return {
      table: 1,
      objectType: type,
      numbers: fieldsInLayout(connection(), 1, LAYOUT),
      query:
        query === undefined
          ? { kind: 'everything' }
          : parseQuery(REVISION_1_QUERIES, query, { objectType: type, limits }),
      order: orderBy === undefined ? [] : checkOrder(parseOrderText(orderBy), type),
      visibility: 'current',
      visibleValues: [],
      versions: new Map(),
    }
  }

  function plan(
    query: object | undefined,
    orderBy?: string,
    cursor?: KeysetCursor,
    sortMatches = false,
  ): string {
    const search = searchFor(query, orderBy)
    const { sql } = findRowsSql(search, queryTables(connection(), search), {
      cursor,
      limit: 100,
      sortMatches,
    })
    return explain(sql)
  }

  function connection(statements = new StatementCache(db)) {
    const session = new SqliteSession(db, statements)
    const fields = new KnownFields(session)
    return { db, statements, session, fields, tests: new RowTests() }
  }

  function explain(sql: string): string {
    return db
      .prepare(`EXPLAIN QUERY PLAN ${sql}`)
      .all()
      .map((row) => String(row['detail']))
      .join('; ')
  }
  const field = (operator: string, name: string, value: unknown) => ({
    type: operator,
    field: `properties.${name}`,
    value,
  })

  it('an equality: its index, which is in key order', () => {
    const first = plan(field('eq', 'a', 5))
    expect(first).toContain('USING INDEX oqs_object_1_p2 (p2=?')
    const later = plan(field('eq', 'a', 5), undefined, { pk: 'x', values: [] })
    expect(later).toContain('USING INDEX oqs_object_1_p2 (p2=? AND pk>?)')
    for (const text of [first, later]) expect(text).not.toContain('TEMP B-TREE')
  })

  it.each([
    ['a', 5, 'USING INDEX oqs_object_1_p2 (p2=? AND pk>?)'],
    ['notes', 'short', 'USING INDEX oqs_object_1_p5_prefix (<expr>=? AND <expr>=? AND pk>?)'],
    ['at', '2026-01-31T12:00:00Z', 'USING INDEX oqs_object_1_p6_time (t6=? AND pk>?)'],
    ['k', 'a', 'USING INDEX oqs_object_1_current (pk=?)'],
  ])(
    'the statement of a page with one value of %s: its index, in key order',
    (name, value, index) => {
      const search = searchFor(field('eq', name, value))
      const { sql } = querySql(search.query, queryTables(connection(), search))
      for (const visibility of ['current', 'version'] as const) {
        const rows = { table: 1, visibility, condition: sql }
        const record = { shape: recordShape('2.0', 'thing'), selection: undefined }
        const text = explain(pageSql(rows, record).sql)
        if (visibility === 'current' || name !== 'k') expect(text).toContain(index)
        expect(text).not.toContain('TEMP B-TREE')
      }
    },
  )

  it('records of known keys: one lookup for each key', () => {
    const record = { shape: recordShape('2.0', 'thing'), selection: undefined }
    const indexes = { current: 'current (pk=?)', version: 'version (pk=? AND valid_from<?)' }
    for (const by of ['current', 'version'] as const) {
      const rows = { table: 1, by }
      for (const sql of [listedRecordsSql(rows, record, true).sql, listedSizesSql(rows)]) {
        const text = explain(sql)
        expect(text).toContain(`SEARCH o USING INDEX oqs_object_1_${indexes[by]}`)
        expect(text).not.toContain('TEMP B-TREE')
      }
    }
  })

  it('a range in the order of its property: its index, from the cursor on', () => {
    const up = plan(field('gt', 'a', 5), 'p.a', { pk: 'x', values: [7] })
    expect(up).toContain('USING INDEX oqs_object_1_p2 ((p2,pk)>(?,?))')
    const down = plan(field('lte', 'a', 5), 'p.a:desc', { pk: 'x', values: [7] })
    expect(down).toContain('(p2,pk)<(?,?)')
    for (const text of [up, down]) expect(text).not.toContain('TEMP B-TREE')
  })

  it('a range in key order: the key if many match, the range and a small sort if few do', () => {
    const many = plan(field('gt', 'a', 5), undefined, undefined, false)
    expect(many).toContain('oqs_object_1_current')
    expect(many).not.toContain('TEMP B-TREE')
    for (const cursor of [undefined, { pk: 'x', values: [] }]) {
      const few = plan(field('gt', 'a', 5), undefined, cursor, true)
      expect(few).toContain('USING INDEX oqs_object_1_p2 (p2>?)')
    }
  })

  const equal = (property: string): Query => ({
    kind: 'compare',
    field: { property, structField: undefined },
    operator: 'eq',
    value: 5,
  })
  const above = (property: string): Query => ({ ...equal(property), operator: 'gt' }) as Query

  /** Explains a query that no request of revision 1.0 can express. */
  function planOf(
    query: Query,
    options: Partial<RowSearchOptions> & { isProbed?: boolean; changed?: Partial<QueryTables> },
  ): string {
    const own = { generation: 1, typeId: 1, version: 1, isLatest: true, table: TABLE }
    const versions = new Map([[type.rid, own]])
    const search = { ...searchFor(undefined), query, versions }
    const tables = queryTables(connection(), search)
    const { sql } = findRowsSql(
      search,
      { ...tables, ...(options.isProbed && { hasAtMost: () => false }), ...options.changed },
      {
        cursor: { pk: 'x', values: [] },
        limit: 100,
        sortMatches: false,
        ...options,
      },
    )
    return explain(sql)
  }

  function expectIdIndexes(text: string): void {
    expect(text).toContain('SEARCH stored USING INDEX oqs_object_1_object_id (<expr>=?)')
    expect(text).toContain('SEARCH stored USING INDEX oqs_object_1_later_object_id (<expr>=?)')
    expect(text).not.toContain('CORRELATED LIST')
    expect(text).not.toContain('SCAN l1')
  }

  it('object ids and lists of values: their indexes', () => {
    const ids: Query = { kind: 'objectIds', ids: ['x'] }
    const linked: Query = {
      kind: 'linked',
      property: 'k',
      linkedType: type,
      linkedProperty: 'b',
      of: ids,
    }
    for (const query of [ids, linked, { kind: 'or', of: [ids, equal('a')] } as const]) {
      expectIdIndexes(planOf(query, { sortMatches: true }))
    }
    expectIdIndexes(planOf(linked, { isProbed: true }))
    const columns = ['object_id', 'valid_to']
    const { sql } = selectByObjectId({
      table: 'oqs_object_1',
      layout: LAYOUT,
      columns,
      list: '["x"]',
    })
    expectIdIndexes(explain(`SELECT object_id FROM (${sql}) WHERE +${VISIBLE.current}`))
    const field = { property: 'a', structField: undefined }
    const values: Query = { kind: 'oneOf', field, values: [1, 2] }
    expect(planOf(values, { sortMatches: true })).toContain('INDEX oqs_object_1_p2 (p2=? AND pk>?)')
  })

  it('object ids beside another condition: the index that finds fewer rows', () => {
    const idList = (length: number): Query => ({ kind: 'objectIds', ids: Array(length).fill('x') })
    const ids = idList(201)
    const fewer = idList(1)
    const all = (...of: Query[]): Query => ({ kind: 'and', of })
    const isRange: QueryTables['hasAtMost'] = ({ sql }) => sql.includes('p2 >')
    for (const sortMatches of [true, false]) {
      const changed = { hasAtMost: isRange }
      const text = planOf(all(ids, above('b'), above('a')), { sortMatches, changed })
      expect(text).not.toContain('p3')
      expect(text).not.toContain('stored')
    }
    for (const sortMatches of [true, false]) {
      const changed = { hasAtMost: () => false }
      expectIdIndexes(planOf(all(ids, equal('a')), { sortMatches, changed }))
      expectIdIndexes(planOf(all(fewer, equal('a')), { sortMatches }))
      const text = planOf(all(ids, fewer), { sortMatches })
      expectIdIndexes(text)
      expect(text.match(/SEARCH stored/g)).toHaveLength(2)
    }
    const excluded = planOf({ kind: 'not', of: ids }, { sortMatches: false })
    expect(excluded).toContain('SEARCH o USING INDEX oqs_object_1_current (pk>?)')
    expect(excluded).not.toContain('stored')
  })

  it('linked objects: gathered by their condition, or looked up row by row in key order', () => {
    const linked: Query = {
      kind: 'linked',
      property: 'k',
      linkedType: type,
      linkedProperty: 'b',
      of: equal('a'),
    }
    const gathered = planOf(linked, { sortMatches: true })
    expect(gathered).toContain('SEARCH o USING COVERING INDEX oqs_object_1_current (pk=?')
    expect(gathered).toContain('SEARCH l1 USING INDEX oqs_object_1_p2 (p2=?)')
    const probed = planOf(linked, { isProbed: true })
    expect(probed).toContain('SEARCH o USING COVERING INDEX oqs_object_1_current (pk>?)')
    expect(probed).toContain('USING INDEX oqs_object_1_p3 (p3=?)')
    expect(probed).not.toContain('TEMP B-TREE')
  })

  it('a count: indexes alone, minus the few past rows', () => {
    const texts: string[] = []
    class RecordingStatements extends StatementCache {
      override prepare(sql: string) {
        texts.push(sql)
        return super.prepare(sql)
      }
    }
    const statements = new RecordingStatements(db)
    const search = searchFor(field('gt', 'a', 5))
    countCurrentRows(statements, search, queryTables(connection(statements), search))
    expect(texts.map(explain)).toEqual([
      expect.stringContaining('COVERING INDEX oqs_object_1_p2 (p2>?)'),
      expect.stringContaining('USING INDEX oqs_object_1_closed (valid_to<?)'),
    ])
  })

  it.each(['p.a', 'p.a:desc', 'p.a:asc:nullsFirst'])(
    'the order %s: its index, both for values and nulls',
    (orderBy) => {
      for (const cursor of [undefined, { pk: 'x', values: [7] }, { pk: 'x', values: [null] }]) {
        const text = plan(undefined, orderBy, cursor)
        expect(text).toContain('INDEX oqs_object_1_p2')
        expect(text).not.toContain('TEMP B-TREE')
      }
    },
  )

  const noon = '2026-01-31T12:00:00.000000Z'

  it('a range of timestamps: the key if many match, their index of integers if few do', () => {
    const range = { type: 'gt', field: 'properties.at', value: noon }
    const few = plan(range, undefined, undefined, true)
    expect(few).toContain('USING INDEX oqs_object_1_p6_time (t6>?)')
    const many = plan(range, undefined, undefined, false)
    expect(many).toContain('oqs_object_1_current')
  })

  it('the order of timestamps: their index of integers, from the cursor on', () => {
    const up = plan(undefined, 'p.at', { pk: 'x', values: [noon] })
    expect(up).toContain('USING INDEX oqs_object_1_p6_time ((t6,pk)>(?,?))')
    const down = plan(undefined, 'p.at:desc', { pk: 'x', values: [noon] })
    expect(down).toContain('(t6,pk)<(?,?)')
    const nulls = plan(undefined, 'p.at', { pk: 'x', values: [null] })
    expect(nulls).toContain('INDEX oqs_object_1_p6_time (t6=? AND pk>?)')
    const first = plan(undefined, 'p.at')
    expect(first).toContain('SEARCH o USING INDEX oqs_object_1_p6_time (t6>?)')
    const equal = plan(field('eq', 'at', noon), 'p.at', { pk: 'x', values: [noon] })
    for (const text of [up, down, nulls, first, equal]) expect(text).not.toContain('TEMP B-TREE')
    const two = plan(undefined, 'p.at,p.b')
    expect(two).toContain('SEARCH o USING INDEX oqs_object_1_p6_time (t6>?)')
    expect(two).toContain('TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY')
  })

  it('objects that are linked by timestamps: their index of integers', () => {
    const linked: Query = {
      kind: 'linked',
      property: 'at',
      linkedType: type,
      linkedProperty: 'at',
      of: equal('a'),
    }
    expect(planOf(linked, { isProbed: true })).toContain('USING INDEX oqs_object_1_p6_time (t6=?)')
    expect(planOf(linked, { sortMatches: true })).toContain(
      'o USING INDEX oqs_object_1_p6_time (t6=?',
    )
  })

  it('several order terms: the index of the first, with a sort among equals only', () => {
    const text = plan(undefined, 'p.a,p.b', { pk: 'x', values: [7, 'y'] })
    expect(text).toContain('USING INDEX oqs_object_1_p2 (p2>?)')
    expect(text).toContain('TEMP B-TREE FOR LAST 2 TERMS OF ORDER BY')
  })

  const long = 'x'.repeat(40)

  it.each(['short', long])('an equality of a long text with %s: the index of prefixes', (value) => {
    const text = plan(field('eq', 'notes', value), undefined, { pk: 'x', values: [] })
    expect(text).toContain('USING INDEX oqs_object_1_p5_prefix (<expr>=? AND <expr>=? AND pk>?)')
    expect(text).not.toContain('TEMP B-TREE')
  })

  it('a count of short values of a long text: the index alone', () => {
    const search = searchFor(field('eq', 'notes', 'short'))
    const { sql } = querySql(search.query, queryTables(connection(), search))
    expect(explain(`SELECT count(*) FROM oqs_object_1 AS o WHERE ${sql}`)).toContain(
      'COVERING INDEX oqs_object_1_p5_prefix (<expr>=? AND <expr>=?)',
    )
  })

  it('the order of a long text: the index of prefixes, and a sort among equal ones', () => {
    for (const orderBy of ['p.notes', 'p.notes:desc']) {
      for (const cursor of [undefined, { pk: 'x', values: [long] }]) {
        const text = plan(undefined, orderBy, cursor)
        expect(text).toMatch(/USING INDEX oqs_object_1_p5_prefix \(<expr>[<>]\?( AND <expr><\?)?\)/)
        expect(text).toMatch(/TEMP B-TREE FOR (RIGHT PART|LAST 2 TERMS) OF ORDER BY/)
      }
    }
  })

  it('conditions and orders on the key property: the indexes of the key', () => {
    const equality = plan(field('eq', 'k', 'a'))
    expect(equality).toContain('COVERING INDEX oqs_object_1_current (pk=?)')
    for (const orderBy of ['p.k', 'p.k:desc', 'p.k,p.a']) {
      const text = plan(field('gt', 'k', 'a'), orderBy, { pk: 'x', values: ['x'] })
      expect(text).toMatch(/USING (COVERING )?INDEX oqs_object_1_current \(pk[<>]\?/)
      expect(text).not.toContain('TEMP B-TREE')
    }
  })
})

import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createFixture,
  pageRequest,
  type StoreFixture,
} from '../../../../test/support/store-fixture.ts'
import { tempFolder } from '../../../../test/support/temp-folder.ts'
import type { Position, Query } from '../../../query/query.ts'
import { fieldsOfTable } from '../catalogue/table-fields.ts'
import { openConnection } from '../file/connection.ts'
import { openSqliteStore } from '../open.ts'
import { readPage } from '../pages/read-page.ts'
import { findRows, type RowSearch } from './find-rows.ts'
import { querySql } from './query-sql.ts'
import { queryTables } from './query-tables.ts'
import { inReadTransaction, type ReadConnection, toReadConnection } from './read-connection.ts'

const CORNERS = 497

/** A circle of many corners around a point on the equator. */
function circle(longitude: number): Position[] {
  const corners = Array.from({ length: CORNERS }, (_, index): Position => {
    const angle = (index / CORNERS) * 2 * Math.PI
    return [longitude + 5 * Math.cos(angle), 5 * Math.sin(angle)]
  })
  return [...corners, ...corners.slice(0, 1)]
}

describe('the test of a query', () => {
  const folder = tempFolder()
  const path = join(folder.path, 'oqs.db')
  let things: StoreFixture
  let reading: ReadConnection
  beforeAll(async () => {
    await using store = openSqliteStore(path)
    things = await createFixture(store, {
      apiName: 'map',
      objectTypes: [
        {
          apiName: 'spot',
          primaryKey: 'k',
          properties: { k: { type: 'string' }, at: { type: 'geopoint' } },
        },
      ],
    })
    const at = (longitude: number) => ({ type: 'Point', coordinates: [longitude, 0] })
    await things.put([0, 4, 6, 20, 24, 26].map((x) => ({ k: `k${x}`, at: at(x) })))
    reading = toReadConnection(openConnection(path))
  })
  afterAll(() => {
    reading.db.close()
    folder[Symbol.dispose]()
  })

  const within = (ring: readonly Position[]): Query => ({
    kind: 'geo',
    field: { property: 'at', structField: undefined },
    relation: 'within',
    area: { kind: 'shape', members: [{ isPolygon: true, paths: [ring] }] },
  })
  const query: Query = { kind: 'or', of: [within(circle(0)), within(circle(20))] }

  function search(): RowSearch {
    return {
      table: 1,
      objectType: things.type,
      numbers: fieldsOfTable(reading, { typeId: 1, id: 1 }),
      query,
      order: [],
      visibility: 'current',
      visibleValues: [],
      versions: new Map(),
    }
  }

  it('is bound as a number, whatever its corners, and is kept once', () => {
    const { tests } = reading
    inReadTransaction(reading, () => {
      const tables = queryTables(reading, search())
      const { values } = querySql(query, tables)
      expect(values).toEqual([expect.any(Number), '$."at"'])
      expect(querySql(query, tables).values).toEqual(values)
      expect(tests.size).toBe(1)
    })
    expect(tests.size).toBe(0)
  })

  it('matches the same objects through a prepared statement, page after page', () => {
    for (const limit of [100, 100, 3]) {
      const page = readPage(reading, pageRequest(things.type, { query, maxObjects: limit }))
      expect(page).toMatchObject({ count: Math.min(limit, 4), totalCount: 4 })
      expect(reading.tests.size).toBe(0)
    }
  })

  it('is dropped after a failure', () => {
    const { statements, tests } = reading
    const failing = () =>
      inReadTransaction(reading, () => {
        findRows(statements, search(), queryTables(reading, search()), {
          cursor: undefined,
          limit: 10,
          sortMatches: true,
        })
        expect(tests.size).toBe(1)
        throw new Error('midway')
      })
    expect(failing).toThrow('midway')
    expect(tests.size).toBe(0)
    expect(reading.db.isTransaction).toBe(false)
    expect(readPage(reading, pageRequest(things.type, { query }))).toMatchObject({ count: 4 })
  })
})

import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openTransaction, runSql, untilBlocked } from '../../../../test/support/postgres.ts'
import { createTestStore, type TestStore } from '../../../../test/support/test-store.ts'
import { migrate } from '../catalogue/migrate.ts'
import { Database } from '../driver/database.ts'
import { Vocabulary } from './save-terms.ts'

let place: TestStore
let database: Database
beforeAll(async () => {
  place = await createTestStore()
  database = new Database(place.name)
  await migrate(database)
})
afterEach(() => runSql(place.name, 'TRUNCATE oqs_term, oqs_long_term'))
afterAll(async () => {
  await database[Symbol.asyncDispose]()
  await place[Symbol.asyncDispose]()
})

const LONG = 'ä'.repeat(1500)
/** More than one statement adds. Some are long, and one is outside the BMP. */
const MANY = [
  ...Array.from({ length: 12_000 }, (_, n) => `1\ue03a${n}`),
  '2\ue03a\u{1f600}',
  `2\ue03a${LONG}`,
]
const FEW = ['2\ue03ab', '2\ue03aa', `2\ue03a${LONG}`]

async function save(terms: readonly string[]): Promise<void> {
  const vocabulary = new Vocabulary()
  for (const term of terms) vocabulary.add(term)
  await database.write((session) => vocabulary.save(session))
}

async function saved(): Promise<string[]> {
  const rows = await database.query(
    'SELECT term FROM oqs_term UNION ALL SELECT term FROM oqs_long_term',
  )
  return rows.map(([term]) => String(term)).sort()
}

describe.each([
  ['few', FEW],
  ['many', MANY],
])('%s terms', (_, terms) => {
  it('are saved once', async () => {
    await save(terms)
    await save([...terms, '3\ue03anew'])
    await save(terms.slice(1))
    expect(await saved()).toEqual([...terms, '3\ue03anew'].sort())
  })

  it.each(['COMMIT', 'ROLLBACK'])('wait for a writer of one of them: %s', async (end) => {
    const [term = ''] = terms
    const other = await openTransaction(
      place.name,
      `INSERT INTO oqs_term VALUES ('${term}'), ('4\ue03aother')`,
      end,
    )
    const saving = save(terms)
    await untilBlocked(place.name)
    await other[Symbol.asyncDispose]()
    await saving
    const others = end === 'COMMIT' ? ['4\ue03aother'] : []
    expect(await saved()).toEqual([...terms, ...others].sort())
  })
})

it('keeps what the transaction wrote before, if another writer adds the same terms', async () => {
  const other = await openTransaction(place.name, `INSERT INTO oqs_term VALUES ('${MANY[1]}')`)
  const saving = database.write(async (session) => {
    await session.run(`INSERT INTO oqs_long_term VALUES ('before')`)
    const vocabulary = new Vocabulary()
    for (const term of MANY) vocabulary.add(term)
    await vocabulary.save(session)
  })
  await untilBlocked(place.name)
  await other[Symbol.asyncDispose]()
  await saving
  expect(await saved()).toEqual([...MANY, 'before'].sort())
})

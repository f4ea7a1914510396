import { inject } from 'vitest'
import { describeMirror, postgresFixture } from '../support/mirror-suite.ts'
import { createDatabase } from '../support/postgres.ts'

describeMirror('PostgreSQL', async () => {
  const database = await createDatabase(inject('postgresUrl'))
  return { ...postgresFixture(database.url), [Symbol.asyncDispose]: () => database.drop() }
})

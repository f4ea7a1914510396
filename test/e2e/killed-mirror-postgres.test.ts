import { describe, inject, it } from 'vitest'
import { killMirrors } from '../support/killed-mirrors.ts'
import { postgresFixture } from '../support/mirror-suite.ts'
import { createDatabase } from '../support/postgres.ts'

describe('a mirror in PostgreSQL that is killed while others write', () => {
  it('equals the source in the end', async () => {
    await using database = await createDatabase(inject('postgresUrl'))
    await killMirrors(postgresFixture(database.url))
  })
})

import { expect, it } from 'vitest'
import { createFixture } from '../../../../test/support/store-fixture.ts'
import { createTestStore } from '../../../../test/support/test-store.ts'
import { openPostgresStore } from '../postgres-store.ts'

it('loads a changed catalogue once for requests that arrive together', async () => {
  await using database = await createTestStore()
  await using writer = await openPostgresStore(database.name)
  await using reader = await openPostgresStore(database.name)
  await reader.readCatalogue()
  await createFixture(writer)
  const catalogues = await Promise.all(Array.from({ length: 30 }, () => reader.readCatalogue()))
  expect(catalogues[0]?.ontologies).toHaveLength(1)
  // The first request may have started a read of the generation on its own.
  expect(new Set(catalogues.map(({ index }) => index)).size).toBe(1)
  expect(new Set(catalogues.map(({ ontologies }) => ontologies[0])).size).toBe(1)
})

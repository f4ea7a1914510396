import { join } from 'node:path'
import { describe, it } from 'vitest'
import { killMirrors } from '../support/killed-mirrors.ts'
import { ndjsonFixture, sqliteFixture } from '../support/mirror-suite.ts'
import { tempFolder } from '../support/temp-folder.ts'

describe('a mirror that is killed while others write', () => {
  it.each([
    ['items.ndjson', ndjsonFixture],
    ['items.db', sqliteFixture],
  ] as const)('equals the source in the end: %s', async (name, fixture) => {
    using folder = tempFolder()
    await killMirrors(fixture(join(folder.path, name)))
  })
})

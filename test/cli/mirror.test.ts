import { join } from 'node:path'
import { describeMirror, ndjsonFixture, sqliteFixture } from '../support/mirror-suite.ts'
import { tempFolder } from '../support/temp-folder.ts'

for (const [kind, name, fixture] of [
  ['NDJSON', 'items.ndjson', ndjsonFixture],
  ['SQLite', 'items.db', sqliteFixture],
] as const) {
  describeMirror(kind, async () => {
    const folder = tempFolder()
    const target = fixture(join(folder.path, name))
    return { ...target, [Symbol.asyncDispose]: async () => folder[Symbol.dispose]() }
  })
}

import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { overriding } from '../../../test/support/column-store.ts'
import { createFixture, openFixture } from '../../../test/support/store-fixture.ts'
import { tempFolder } from '../../../test/support/temp-folder.ts'
import { openSqliteStore } from '../sqlite/open.ts'
import { withColumns } from './column-objects.ts'

const TIMEOUT_MS = 600_000

/** Returns the numbers of the reader processes of this process. */
function readerPids(): string[] {
  return readdirSync('/proc').filter((pid) => {
    try {
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
      const parent = Number(stat.slice(stat.lastIndexOf(')')).split(' ')[2])
      const command = readFileSync(`/proc/${pid}/cmdline`, 'utf8')
      return parent === process.pid && command.includes('reader-process-main')
    } catch {
      return false
    }
  })
}

it('a process that runs slow queries starts while columns do not answer', async () => {
  using folder = tempFolder()
  await using store = openSqliteStore(join(folder.path, 'oqs.db'))
  const { commit } = await createFixture(store)
  await commit([['key', 'text']])
  const before = readerPids()
  const started = () => readerPids().filter((pid) => !before.includes(pid))
  const ask = async () => {
    await expect.poll(started).not.toEqual([])
    return undefined
  }
  const { readKeys } = await openFixture(overriding(store, withColumns(store, { ask }, TIMEOUT_MS)))
  const query = { kind: 'not', of: { kind: 'isNull', property: 'text' } } as const
  expect(await readKeys({ query })).toEqual(['key'])
})

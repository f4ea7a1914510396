import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openSqliteStore } from '../../src/store/sqlite/open.ts'
import { runOqs } from '../support/oqs-process.ts'
import { OTHER_BUILDS } from '../support/other-builds.ts'
import { type TempFolder, tempFolder } from '../support/temp-folder.ts'

let folder: TempFolder
const inFolder = (name: string) => join(folder.path, name)

beforeAll(async () => {
  folder = tempFolder()
  await openSqliteStore(inFolder('oqs.db'))[Symbol.asyncDispose]()
  using db = new DatabaseSync(inFolder('oqs.db'))
  db.exec(OTHER_BUILDS[0].change)
})
afterAll(() => folder[Symbol.dispose]())

describe('a store that another build created', () => {
  it.each(['serve', 'verify', 'backup no-backup.db', 'token list', 'client list', 'policy list'])(
    'is refused by oqs %s',
    async (command) => {
      const settings = { OQS_STORE: `sqlite:${inFolder('oqs.db')}`, OQS_PORT: '0' }
      const { code, stderr } = await runOqs(command.split(' '), settings)
      expect(code).toBe(1)
      expect(stderr).toMatch(/another build of the service created it.*oqs ontology export/)
      expect(stderr).not.toContain('damaged')
    },
  )
})

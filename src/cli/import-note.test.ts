import { readdirSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type TempFolder, tempFolder } from '../../test/support/temp-folder.ts'
import { ImportNote } from './import-note.ts'

const CURSOR = { objects: 5000, version: 3, replacement: '7' }

let folder: TempFolder
let file: string
beforeEach(() => {
  folder = tempFolder()
  vi.stubEnv('XDG_STATE_HOME', folder.path)
  file = join(folder.path, 'rows.csv')
  writeFileSync(file, 'id\n1\n')
})
afterEach(() => folder[Symbol.dispose]())

const noteOf = (type = 'row') => ImportNote.of([file], { type })
const notes = () => readdirSync(join(folder.path, 'oqs', 'imports'))
const pathOfNote = () => join(folder.path, 'oqs', 'imports', notes()[0] ?? '')

describe('the note of an import', () => {
  it('has its cursor for the same command, until the import is complete', async () => {
    const note = await noteOf()
    expect(await note?.read()).toBeUndefined()
    await note?.save(CURSOR)
    expect(await (await noteOf())?.read()).toEqual(CURSOR)
    await note?.end({ objects: 6000, version: 4 })
    expect(await (await noteOf())?.read()).toEqual({ objects: 6000, version: 4 })
    await note?.end(undefined)
    expect(await (await noteOf())?.read()).toBeUndefined()
    expect(notes()).toEqual([])
  })

  it('is another one for other options, and if the file has changed', async () => {
    await (await noteOf())?.save(CURSOR)
    expect(await (await noteOf('other'))?.read()).toBeUndefined()
    writeFileSync(file, 'id\n1\n2\n')
    expect(await (await noteOf())?.read()).toBeUndefined()
  })

  it('is not kept for a pipe', async () => {
    expect(await ImportNote.of(['-'], {})).toBeUndefined()
    expect(await ImportNote.of([file, folder.path], {})).toBeUndefined()
  })

  it('belongs to the process that runs the import, as long as it runs', async () => {
    await (await noteOf())?.save(CURSOR)
    // The process that started the tests is alive.
    writeFileSync(pathOfNote(), JSON.stringify({ ...CURSOR, pid: process.ppid }))
    expect(await noteOf()).toBeUndefined()
  })

  it('is ignored if it is damaged, and removed after a day', async () => {
    await (await noteOf())?.save(CURSOR)
    writeFileSync(pathOfNote(), '{"objects":')
    expect(await (await noteOf())?.read()).toBeUndefined()
    utimesSync(pathOfNote(), 0, 0)
    await noteOf()
    expect(notes()).toEqual([])
  })
})

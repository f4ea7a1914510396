/** The folder of compiled code, which is run without being checked: nobody else may write to it. */
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  symlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { runOqs } from '../support/oqs-process.ts'
import { tempFolder } from '../support/temp-folder.ts'

const NAME = `oqs-compiled-${process.getuid?.()}`

async function runIn(folder: string): Promise<void> {
  const settings = { TMPDIR: folder, NODE_COMPILE_CACHE: undefined }
  expect(await runOqs(['--version'], settings)).toMatchObject({ code: 0, stderr: '' })
  // The folder that Node.js would use.
  expect(existsSync(join(folder, 'node-compile-cache'))).toBe(false)
}

it('compiled code is kept in a folder of the user', async () => {
  using folder = tempFolder()
  const path = join(folder.path, NAME)
  for (const start of ['first', 'second']) {
    await runIn(folder.path)
    expect(lstatSync(path).mode & 0o777, start).toBe(0o700)
    expect(readdirSync(path), start).toHaveLength(1)
  }
})

const FOREIGN: Readonly<Record<string, (path: string) => void>> = {
  'that others can write to': (path) => {
    mkdirSync(path)
    chmodSync(path, 0o777)
  },
  'behind a link': (path) => {
    mkdirSync(`${path}-target`, { mode: 0o700 })
    symlinkSync(`${path}-target`, path)
  },
  // Only root can give a folder away.
  ...(process.getuid?.() === 0 && {
    'of another user': (path: string) => {
      mkdirSync(path, { mode: 0o700 })
      chownSync(path, 65_534, 65_534)
    },
  }),
}

it.each(Object.entries(FOREIGN))('a folder %s is not used', async (_, make) => {
  using folder = tempFolder()
  const path = join(folder.path, NAME)
  make(path)
  await runIn(folder.path)
  expect(readdirSync(path)).toEqual([])
})

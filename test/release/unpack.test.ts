/** How an executable unpacks its files. */
import { chmodSync, globSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { cacheFolder, type Manifest, unpack } from '../../scripts/release/launcher/unpack.ts'
import { tempFolder } from '../support/temp-folder.ts'

const FILES: Readonly<Record<string, string>> = { 'bin/a.js': 'first', 'b.txt': 'second' }
const MANIFEST: Manifest = { name: 'abc', files: { 'bin/a.js': 5, 'b.txt': 6 } }
const readFile = (path: string) => Buffer.from(FILES[path] ?? '')
const noFile = (): never => {
  throw new Error('unpacked again')
}
const contentOf = (folder: string) =>
  Object.fromEntries(
    Object.keys(FILES).map((path) => [path, readFileSync(join(folder, path), 'utf8')]),
  )

it('unpacks once, for the user only, and leaves nothing else behind', () => {
  using cache = tempFolder()
  const root = join(cache.path, 'new', 'oqs')
  const folder = unpack(root, MANIFEST, readFile)
  expect(contentOf(folder)).toEqual(FILES)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  expect(unpack(root, MANIFEST, noFile)).toBe(folder)
  expect(globSync('*', { cwd: root })).toEqual([MANIFEST.name])
})

it.each([
  ['is shorter', (path: string) => writeFileSync(path, 'x')],
  ['was changed', (path: string) => writeFileSync(path, 'third!')],
])('unpacks again if a file %s', (_, damage) => {
  using cache = tempFolder()
  const folder = unpack(cache.path, MANIFEST, readFile)
  damage(join(folder, 'b.txt'))
  expect(contentOf(unpack(cache.path, MANIFEST, readFile))).toEqual(FILES)
  expect(globSync('*', { cwd: cache.path })).toEqual([MANIFEST.name])
})

it('takes what another process has unpacked meanwhile', () => {
  using cache = tempFolder()
  let isFirst = true
  const folder = unpack(cache.path, MANIFEST, (path) => {
    if (isFirst) {
      isFirst = false
      unpack(cache.path, MANIFEST, readFile)
    }
    return readFile(path)
  })
  expect(contentOf(folder)).toEqual(FILES)
  expect(globSync('*', { cwd: cache.path })).toEqual([MANIFEST.name])
})

it('follows symbolic links to the cache folder, as the paths of modules do', () => {
  using cache = tempFolder()
  symlinkSync(cache.path, join(cache.path, 'link'))
  const folder = unpack(join(cache.path, 'link'), MANIFEST, readFile)
  expect(folder).toBe(unpack(cache.path, MANIFEST, noFile))
})

it.skipIf(process.platform === 'win32')('refuses files that other users could change', () => {
  using cache = tempFolder()
  const folder = unpack(cache.path, MANIFEST, readFile)
  for (const path of [folder, cache.path]) {
    chmodSync(path, 0o777)
    expect(() => unpack(cache.path, MANIFEST, noFile)).toThrow(`other users can write to ${path}`)
    chmodSync(path, 0o700)
  }
})

it('says what to do if it cannot create the folder', () => {
  using cache = tempFolder()
  const file = join(cache.path, 'file')
  writeFileSync(file, '')
  expect(() => unpack(join(file, 'oqs'), MANIFEST, readFile)).toThrow(
    /^cannot unpack into .*: ENOTDIR.* Set XDG_CACHE_HOME to a folder /,
  )
})

it('uses the cache folder of the user', () => {
  const on = (platform: NodeJS.Platform, env: NodeJS.ProcessEnv) => cacheFolder(env, platform)
  expect(on('linux', { XDG_CACHE_HOME: '/c', HOME: '/h' })).toBe(join('/c', 'oqs'))
  expect(on('linux', { HOME: '/h' })).toBe(join('/h', '.cache', 'oqs'))
  expect(on('win32', { LOCALAPPDATA: '/l', HOME: '/h' })).toBe(join('/l', 'oqs', 'cache'))
})

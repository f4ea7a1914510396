/**
 * Unpacks the files of an executable into the cache folder of the user, once for each release. They are
 * programs, so the folder must belong to the user, and each file is checked before it is used.
 */
import {
  closeSync,
  fsyncSync,
  futimesSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { homeFolder } from '../../../src/cli/home-folder.ts'

export interface Manifest {
  /** The name of the folder: a hash of all files. */
  readonly name: string
  /** The size of each file, by its path. */
  readonly files: Readonly<Record<string, number>>
}

type ReadFile = (path: string) => Uint8Array

/** The time of every file, in seconds: that of a file that somebody changed differs. */
const FILE_TIME = 1_000_000_000

/** Returns the folder into which the executables of all releases unpack. */
export function cacheFolder(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const { XDG_CACHE_HOME, LOCALAPPDATA, HOME } = env
  if (XDG_CACHE_HOME) return join(XDG_CACHE_HOME, 'oqs')
  if (platform === 'win32' && LOCALAPPDATA) return join(LOCALAPPDATA, 'oqs', 'cache')
  const home = HOME || homeFolder()
  // The folder must belong to the user, so nobody else can have put a program there.
  return home ? join(home, '.cache', 'oqs') : join(tmpdir(), `oqs-${process.getuid?.()}`)
}

/** Returns the folder with the files; unpacks them if some are missing or were changed. */
export function unpack(root: string, manifest: Manifest, readFile: ReadFile): string {
  try {
    mkdirSync(root, { recursive: true, mode: 0o700 })
    // The paths of modules have no symbolic links.
    const parent = realpathSync(root)
    requirePrivate(parent, statSync(parent))
    const folder = join(parent, manifest.name)
    if (!isIntact(folder, manifest)) replaceFolder(folder, manifest, readFile)
    return folder
  } catch (error) {
    throw new Error(
      `cannot unpack into ${root}: ${(error as Error).message}. Set XDG_CACHE_HOME to a folder in which this user can create files.`,
    )
  }
}

/** Throws if other users could change what is in a folder. */
function requirePrivate(folder: string, { uid, mode }: Stats): void {
  // On Windows, the folder inherits the rights of the user's profile.
  if (process.getuid === undefined) return
  if (uid !== process.getuid()) throw new Error(`${folder} belongs to another user`)
  if ((mode & 0o022) !== 0) throw new Error(`other users can write to ${folder}`)
}

/** Returns false if a file is missing or was changed. */
function isIntact(folder: string, { files }: Manifest): boolean {
  const stats = statSync(folder, { throwIfNoEntry: false })
  if (stats === undefined) return false
  requirePrivate(folder, stats)
  return Object.entries(files).every(([path, size]) => {
    const file = statSync(join(folder, path), { throwIfNoEntry: false })
    return file?.size === size && file.mtimeMs === 1000 * FILE_TIME
  })
}

/** Unpacks beside the folder, then puts it in its place, so that no process sees a part of it. */
function replaceFolder(folder: string, manifest: Manifest, readFile: ReadFile): void {
  // Created with the mode 0700.
  const part = mkdtempSync(`${folder}.part-`)
  const damaged = `${part}.damaged`
  try {
    for (const path of Object.keys(manifest.files)) writeSynced(join(part, path), readFile(path))
    try {
      renameSync(part, folder)
    } catch {
      // It exists: another process has just unpacked it, or it is damaged.
      if (isIntact(folder, manifest)) return
      renameSync(folder, damaged)
      renameSync(part, folder)
    }
  } finally {
    for (const rest of [part, damaged]) rmSync(rest, { recursive: true, force: true })
  }
}

/** Writes a file that is complete whenever its folder has its final name, even after a power failure. */
function writeSynced(path: string, content: Uint8Array): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 })
  const file = openSync(path, 'wx', 0o600)
  try {
    writeFileSync(file, content)
    futimesSync(file, FILE_TIME, FILE_TIME)
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

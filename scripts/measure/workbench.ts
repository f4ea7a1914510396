/**
 * Everything that a part of a run starts and creates: stores, services, other programs and files.
 * Nothing of it outlives the part, however the run ends.
 */
import { type ChildProcess, execFile } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, rmSync } from 'node:fs'
import { constants, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { startProgram, waitForLine } from '../../test/support/oqs-process.ts'
import { createCitusSchema, createDatabase, runSql } from '../../test/support/postgres.ts'
import { startPostgresServer } from '../../test/support/postgres-server.ts'
import { ADMIN_TOKEN } from '../../test/support/service.ts'
import type { Target } from './connection.ts'
import { type Cost, endedChildrenMicros, measureCost } from './processes.ts'
import type { Question } from './service-monitor.ts'

export const STORES = ['SQLite', 'PostgreSQL'] as const
export type StoreName = (typeof STORES)[number]

/** A program for Node.js. */
interface Program {
  readonly args: readonly string[]
  readonly env?: Readonly<Record<string, string>>
  /** Opens a channel for messages. */
  readonly hasChannel?: boolean
  /** How many descriptors it may open; as many as this process by default. */
  readonly maxDescriptors?: number | undefined
}

export interface MeasuredServer extends Target, AsyncDisposable {
  readonly child: ChildProcess
  readonly pid: number
  /** Milliseconds from the start of the process until it was ready. */
  readonly startMs: number
  /** All addresses that it listens on; requests go to the first. */
  readonly urls: readonly URL[]
}

/** The service of a checkout, used as a black box. */
export interface Service extends MeasuredServer {
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
  /** Loads `service-monitor.ts` into the process, for `askMonitor`. */
  readonly hasMonitor?: boolean
  /** How many descriptors each of its processes may open. */
  readonly maxDescriptors?: number
}

/** The cost of a command for the service and its database. */
export interface CommandCost extends Cost {
  /** The cost of the command itself. */
  readonly command: Cost
}

export const THIS_CHECKOUT = fileURLToPath(new URL('../..', import.meta.url))
const MONITOR = new URL('./service-monitor.ts', import.meta.url).href
/** Reads every page from the store. */
export const NO_CACHE = { OQS_PAGE_CACHE_BYTES: '0' }
/** Flags that `oqs serve` sets by restarting itself, which it does not do on a channel. */
export const NODE_FLAGS = [
  '--max-semi-space-size=16',
  '--heap-growing-percent=100',
  '--no-allocation-site-pretenuring',
]
/** No limits for callers; tokens and snapshots stay valid until the end of the run. */
export const NO_LIMITS = {
  OQS_RATE_LIMIT_PER_MINUTE: 'none',
  OQS_MAX_CONCURRENT_REQUESTS: 'none',
  OQS_LIST_OBJECTS_LIMIT: 'none',
  OQS_PAGE_TOKEN_TTL_SECONDS: '86400',
  OQS_SNAPSHOT_MAX_AGE_SECONDS: '86400',
}
/** A server that has not ended after this time is killed. */
const STOP_MS = 10_000
const HEADERS = { authorization: `Bearer ${ADMIN_TOKEN}` }
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

  /**
   * Creates an empty store, and returns a value for `OQS_STORE`. Uses a database on a Citus
   * coordinator, if its URL is given.
   */
  async createStore(name: string, citus?: string): Promise<string> {
    if (citus !== undefined) return this.use(await createCitusSchema(citus)).url
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
    const { checkout = THIS_CHECKOUT, settings, keepLimits, hasMonitor = false } = options
    const { store = await this.createStore('store') } = options
    const program = programOf(checkout)
    const flags = hasMonitor ? [...NODE_FLAGS, '--import', MONITOR] : []
    const server = await this.startServer({
      args: [...flags, program, 'serve'],
      env: {
        OQS_STORE: store,
        OQS_LOG_LEVEL: 'error',
        ...(keepLimits ? {} : NO_LIMITS),
        ...settings,
      },
      hasChannel: hasMonitor,
      maxDescriptors: options.maxDescriptors,
    })
    return { ...server, program }
  }

  /** Starts a program that prints its addresses when it is ready. */
  async startServer(program: Program): Promise<MeasuredServer> {
    const started = performance.now()
    const server = this.#start(program)
    const { child } = server
    const stop = async () => {
      child.kill('SIGTERM')
      const timer = setTimeout(() => child.kill('SIGKILL'), STOP_MS)
      await server.ended
      clearTimeout(timer)
    }
    const addresses = await waitForLine(server, 'listening on ')
    const startMs = performance.now() - started
    const urls = addresses.split(' ').map((address) => new URL(address))
    const [url] = urls as [URL]
    const pid = child.pid ?? 0
    return this.use({
      child,
      pid,
      startMs,
      url,
      urls,
      headers: HEADERS,
      [Symbol.asyncDispose]: stop,
    })
  }

  /** Runs a program to its end; rejects unless its status is 0. */
  async runProgram(program: Program, input: Iterable<string> = []): Promise<Cost> {
    const cpuBefore = endedChildrenMicros()
    const running = this.#start(program, 'pipe')
    const { child } = running
    const writeInput = async () => {
      if (child.stdin) await pipeline(Readable.from(input), child.stdin)
    }
    const { seconds, megabytes, result } = await measureCost([child.pid ?? 0], () =>
      // The program may end before it has read everything; its status says why.
      Promise.all([running.ended, writeInput().catch(() => {})]),
    )
    const [status] = result
    const command = program.args.join(' ')
    if (status !== 0) throw new Error(`${command} failed with ${status}: ${running.stderr()}`)
    return { seconds, cpuMicros: endedChildrenMicros() - cpuBefore, megabytes }
  }

  /** Returns a Python that has packages: that of an environment, or of a new one. */
  async findPython(venv: string | undefined, ...packages: readonly string[]): Promise<string> {
    if (venv !== undefined) return join(venv, 'bin/python')
    const run = promisify(execFile)
    const folder = join(this.folder, 'venv')
    await run('python3', ['-m', 'venv', folder])
    const python = join(folder, 'bin/python')
    await run(python, ['-m', 'pip', 'install', '--quiet', ...packages])
    return python
  }

  /** Runs a command of `oqs`, and measures the command and the service. */
  async measureCommand(
    { program, url, pid }: Service,
    args: readonly string[],
    input?: Iterable<string>,
  ): Promise<CommandCost> {
    const env = { OQS_URL: url.origin, OQS_TOKEN: ADMIN_TOKEN }
    const command = { args: [program, ...args], env }
    const pids = [pid, this.databasePid ?? 0]
    const { result, ...cost } = await measureCost(pids, () => this.runProgram(command, input))
    return { ...cost, command: result }
  }

  /** Settings of the user would change what is measured, so a program gets only its own. */
  #start({ args, env, hasChannel, maxDescriptors }: Program, stdin: 'ignore' | 'pipe' = 'ignore') {
    const settings = { TMPDIR: tmpdir(), OQS_PORT: '0', OQS_ADMIN_TOKEN: ADMIN_TOKEN, ...env }
    const options = { stdin, cwd: this.folder, hasChannel: hasChannel ?? false }
    const limit = ['-c', `ulimit -n ${maxDescriptors} && exec "$@"`, 'sh', process.execPath]
    const program =
      maxDescriptors === undefined
        ? startProgram(process.execPath, args, settings, options)
        : startProgram('sh', [...limit, ...args], settings, options)
    this.adopt(program.child)
    return program
  }
}

/** Asks the monitor of a service, and returns its answer. */
export async function askMonitor({ child }: Service, question: Question): Promise<number> {
  const reply = once(child, 'message')
  child.send(question)
  return (await reply)[0]
}

/** Returns `bin/oqs.js` of a checkout; throws when it cannot be run. */
function programOf(checkout: string): string {
  const folder = resolve(checkout)
  const program = join(folder, 'bin', 'oqs.js')
  if (!existsSync(program)) throw new Error(`${folder} is not a checkout: bin/oqs.js is missing.`)
  if (existsSync(join(folder, 'node_modules'))) return program
  throw new Error(`${folder} has no node_modules. Run npm ci there first.`)
}

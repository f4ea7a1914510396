/** The service of a checkout, used as a black box: its command line and its HTTP interface. */
import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { fileURLToPath } from 'node:url'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { readBody, type Target } from './connection.ts'
import { DEFINITION, makePart, OBJECT_TYPE, ONTOLOGY, UPDATED_EVERY } from './parts.ts'
import { cpuBetween, cpuTimes, treeMegabytes, watchCpu, watchMemory } from './process-stats.ts'
import { showProgress } from './progress.ts'
import { cleanEnvironment, keepTail, type MeasuredServer, startServer } from './server.ts'
import type { Workspace } from './workspace.ts'

export interface Service extends MeasuredServer {
  readonly token: string
  /** The file that starts the command line. */
  readonly program: string
}

export interface ServiceOptions {
  /** A value for `OQS_STORE`. */
  readonly store: string
  /** The root of a checkout; this one by default. */
  readonly checkout?: string | undefined
  readonly settings?: Readonly<Record<string, string>>
  /** Leaves the limits of callers and walks at their defaults. */
  readonly keepLimits?: boolean
  /** Loads a module into the process first, and opens a channel for messages to it. */
  readonly preload?: string
}

export const THIS_CHECKOUT = fileURLToPath(new URL('../..', import.meta.url))
/** Reads every page from the store. */
export const NO_CACHE = { OQS_PAGE_CACHE_BYTES: '0' }

/** Flags that `oqs serve` sets by restarting itself, which it does not do on a channel. */
const NODE_FLAGS = ['--max-semi-space-size=16', '--heap-growing-percent=100']
/** No limits for callers; tokens and snapshots stay valid until the end of the run. */
const NO_LIMITS = {
  OQS_RATE_LIMIT_PER_MINUTE: 'none',
  OQS_MAX_CONCURRENT_REQUESTS: 'none',
  OQS_LIST_OBJECTS_LIMIT: 'none',
  OQS_PAGE_TOKEN_TTL_SECONDS: '86400',
  OQS_SNAPSHOT_MAX_AGE_SECONDS: '86400',
}

export async function startService(
  workspace: Workspace,
  { store, checkout = THIS_CHECKOUT, settings = {}, keepLimits, preload }: ServiceOptions,
): Promise<Service> {
  const program = programOf(checkout)
  const token = randomBytes(24).toString('base64url')
  const flags = preload === undefined ? [] : [...NODE_FLAGS, '--import', preload]
  const server = await startServer(workspace, {
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

/** Returns `bin/oqs.js` of a checkout; throws when it cannot be run. */
export function programOf(checkout: string): string {
  const folder = resolve(checkout)
  const program = join(folder, 'bin', 'oqs.js')
  if (!existsSync(program)) throw new Error(`${folder} is not a checkout: bin/oqs.js is missing.`)
  if (!existsSync(join(folder, 'node_modules'))) {
    throw new Error(`${folder} has no node_modules. Run npm ci there first.`)
  }
  return program
}

export interface CommandReport {
  /** The peak of the command's private memory. */
  readonly megabytes: number
  readonly cpuMicros: number | undefined
}

/** Runs a command of the service's checkout. */
export async function runCommand(
  workspace: Workspace,
  { program, url, token }: Service,
  args: readonly string[],
  input?: Iterable<string>,
): Promise<CommandReport> {
  const child = spawn(process.execPath, [program, ...args], {
    env: { ...cleanEnvironment(), OQS_URL: url.origin, OQS_TOKEN: token },
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  workspace.adopt(child)
  const lastError = keepTail(child)
  using watch = watchMemory(child.pid ?? 0)
  using cpu = watchCpu(child.pid ?? 0)
  const ended = once(child, 'close')
  // The command may end before it has read everything; its status says why.
  await pipeline(Readable.from(input ?? []), child.stdin).catch(() => {})
  const [status] = await ended
  if (status !== 0) throw new Error(`oqs ${args[0]} failed with ${status}: ${lastError()}`)
  return { megabytes: watch.end(), cpuMicros: cpu.end() }
}

/** The cost of an import, from the first row until the objects are visible. */
export interface ImportReport {
  readonly seconds: number
  /** Of the service and its child processes. */
  readonly cpuMicros: number | undefined
  readonly serviceMegabytes: number
  readonly commandMegabytes: number
  readonly commandCpuMicros: number | undefined
}

/** Runs `oqs import` and measures the command and the service. */
export async function measureImport(
  workspace: Workspace,
  service: Service,
  args: readonly string[],
  input?: Iterable<string>,
): Promise<ImportReport> {
  using watch = watchMemory(service.pid, treeMegabytes)
  const cpuBefore = cpuTimes(service.pid)
  const started = performance.now()
  const command = await runCommand(workspace, service, ['import', ...args], input)
  const seconds = (performance.now() - started) / 1000
  const cpuMicros = cpuBetween(cpuBefore, cpuTimes(service.pid))
  return {
    seconds,
    cpuMicros,
    serviceMegabytes: watch.end(),
    commandMegabytes: command.megabytes,
    commandCpuMicros: command.cpuMicros,
  }
}

export const PART_TYPE = ['--ontology', ONTOLOGY, '--type', OBJECT_TYPE] as const
/** The path to which parts are written. */
export const PART_OBJECTS = `/api/admin/v1/ontologies/${ONTOLOGY}/objects/${OBJECT_TYPE}`

/** Saves the definition of an ontology. */
export async function define(service: Target, definition: OntologyDefinition): Promise<void> {
  const path = `/api/admin/v1/ontologies/${definition.apiName}`
  await readBody(service, { method: 'PUT', path, body: JSON.stringify(definition) })
}

const BATCH = 10_000

/** Writes changes to an object type, given by its path, in several batches. */
export async function writeChanges(
  service: Target,
  path: string,
  changes: readonly object[],
): Promise<void> {
  const contentType = 'application/x-ndjson'
  for (let start = 0; start < changes.length; start += BATCH) {
    const lines = changes.slice(start, start + BATCH).map((change) => JSON.stringify(change))
    await readBody(service, { method: 'POST', path, contentType, body: lines.join('\n') })
  }
}

/** Fills an empty store with parts through `oqs import --replace`. */
export async function loadParts(
  workspace: Workspace,
  service: Service,
  objects: number,
): Promise<ImportReport> {
  showProgress(`loading ${objects.toLocaleString('en')} objects`)
  await define(service, DEFINITION)
  const args = ['-', '--format', 'ndjson', ...PART_TYPE, '--replace']
  return measureImport(workspace, service, args, partLines(objects))
}

/** Lines of NDJSON, a thousand at a time. */
export function* partLines(objects: number): Generator<string> {
  for (let start = 0; start < objects; start += 1000) {
    const length = Math.min(1000, objects - start)
    yield Array.from({ length }, (_, n) => `${JSON.stringify(makePart(start + n, 0))}\n`).join('')
  }
}

/** Updates every fifth object. */
export async function updateParts(service: Service, objects: number): Promise<void> {
  showProgress('updating objects')
  const changes: object[] = []
  for (let n = 0; n < objects; n += UPDATED_EVERY) changes.push({ put: makePart(n, 1) })
  await writeChanges(service, PART_OBJECTS, changes)
}

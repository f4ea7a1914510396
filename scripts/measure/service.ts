/** The service of a checkout, used as a black box: its command line and its HTTP interface. */
import { randomBytes } from 'node:crypto'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { OntologyDefinition } from '../../src/ontology/definition/definition-schema.ts'
import { readBody, type Target } from './connection.ts'
import { DEFINITION, makePart, OBJECT_TYPE, ONTOLOGY, partLines, UPDATED_EVERY } from './parts.ts'
import { type Cost, measureCost } from './process-stats.ts'
import { showProgress } from './progress.ts'
import { type MeasuredServer, runProgram, startServer } from './server.ts'
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
  /** A random administrator's token by default. */
  readonly token?: string
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

export async function startService(
  workspace: Workspace,
  { store, checkout = THIS_CHECKOUT, settings, keepLimits, preload, ...options }: ServiceOptions,
): Promise<Service> {
  const program = programOf(checkout)
  const { token = randomBytes(24).toString('base64url') } = options
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

/** Runs a command of the service's checkout. */
export function runCommand(
  workspace: Workspace,
  { program, url, token }: Service,
  args: readonly string[],
  input?: Iterable<string>,
): Promise<Cost> {
  const env = { OQS_URL: url.origin, OQS_TOKEN: token }
  return runProgram(workspace, { file: process.execPath, args: [program, ...args], env }, input)
}

/** The cost of an import for the service, from the first row until the objects are visible. */
export interface ImportCost extends Cost {
  /** The cost of the command that sends the rows. */
  readonly command: Cost
}

/** Runs `oqs import` and measures the command and the service. */
export async function measureImport(
  workspace: Workspace,
  service: Service,
  args: readonly string[],
  input?: Iterable<string>,
): Promise<ImportCost> {
  const runImport = () => runCommand(workspace, service, ['import', ...args], input)
  const cost = await measureCost(service.pid, runImport)
  return { ...cost, command: cost.result }
}

export const PART_TYPE = ['--ontology', ONTOLOGY, '--type', OBJECT_TYPE] as const
/** The path to which parts are written. */
export const PART_OBJECTS = `/api/admin/v1/ontologies/${ONTOLOGY}/objects/${OBJECT_TYPE}`

/** Sends JSON to a path below `/api/admin/v1/`; returns the response. */
export async function administer(
  service: Target,
  method: 'PUT' | 'POST',
  path: string,
  body: unknown,
): Promise<unknown> {
  const call = { method, path: `/api/admin/v1/${path}`, body: JSON.stringify(body) }
  return JSON.parse(String(await readBody(service, call)))
}

/** Saves the definition of an ontology. */
export async function define(service: Target, definition: OntologyDefinition): Promise<void> {
  await administer(service, 'PUT', `ontologies/${definition.apiName}`, definition)
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
): Promise<ImportCost> {
  showProgress(`loading ${objects.toLocaleString('en')} objects`)
  await define(service, DEFINITION)
  const args = ['-', '--format', 'ndjson', ...PART_TYPE, '--replace']
  return measureImport(workspace, service, args, partLines(objects))
}

/** Updates every fifth object. */
export async function updateParts(service: Service, objects: number): Promise<void> {
  showProgress('updating objects')
  const changes: object[] = []
  for (let n = 0; n < objects; n += UPDATED_EVERY) changes.push({ put: makePart(n, 1) })
  await writeChanges(service, PART_OBJECTS, changes)
}

/** The state of one seed: the service, the model, and what clients hold in their hands. */
import { createHash } from 'node:crypto'
import { hashSecret } from '../../src/access/credentials.ts'
import { retentionOf } from '../../src/server/maintenance.ts'
import type { AppSlot } from './app-slot.ts'
import type { Database } from './database.ts'
import type { Follower } from './follow-steps.ts'
import { TypeModel } from './model.ts'
import { type Answer, SimulatedNode } from './node.ts'
import type { PageToken } from './page-model.ts'
import type { HttpRequest, WalkSpec } from './queries.ts'
import { Random } from './random.ts'
import type { SentWrite } from './write-model.ts'

export const ONTOLOGY = 'forest'
export const TYPES = ['tree', 'bird'] as const
export type TypeName = (typeof TYPES)[number]

/** The limit of a type without its own. */
export const ENDPOINT_LIMIT = 14
export const TTL_SECONDS = 300
export const SNAPSHOT_SECONDS = 1200
/** How long changes can be followed: as long as snapshots can be read. */
export const CHANGES_SECONDS = SNAPSHOT_SECONDS
const LIFETIMES = { pageTokenTtlSeconds: TTL_SECONDS, snapshotMaxAgeSeconds: SNAPSHOT_SECONDS }
/** Snapshots are kept a minute longer than they can be read; replacements wait for an hour. */
export const KEPT = { rowVersionsMs: 1000 * (SNAPSHOT_SECONDS + 60), idleReplacementsMs: 3_600_000 }
const KEY_BYTES = 32
const SHORT_PAGE_BYTES = 1024
const LONG_PAGE_BYTES = 1024 * 1024

const CALLERS = { admin: 'admin-token-of-the-simulation', reader: 'token-of-the-reader' }
export type CallerName = keyof typeof CALLERS

/** The clock starts at a whole second, and only whole seconds pass, so that expiry is exact. */
const START_MS = 1_700_000_000_000

/** A difference between the service and the model. */
export class Mismatch extends Error {}

export class World {
  readonly random: Random
  readonly database: Database
  readonly clock = { now: START_MS }
  readonly nodes: SimulatedNode[] = []
  /** The bytes of the largest page; small in some seeds, so that pages end early. */
  readonly pageMaxBytes: number
  readonly trace: string[] = []
  readonly #digest = createHash('sha256')
  readonly #slots: readonly AppSlot[]

  readonly types = new Map(TYPES.map((name) => [name, new TypeModel()]))
  /** How often the ontology was created; page tokens of an earlier one are not valid. */
  incarnation = 1
  readonly definition = {
    treeLimit: 6 as number | 'none',
    extraProperties: 0,
    /** The type of a property that no object has. */
    level: 'integer' as 'integer' | 'long',
  }
  /** First pages that are requested often. */
  favourites: readonly { readonly spec: WalkSpec; readonly pageSize: number }[] = []
  /** The newest page tokens that clients have, the last one first. */
  tokens: PageToken[] = []
  followers: readonly Follower[] = []
  /** The part of each page token that must never occur twice. */
  readonly seals = new Set<string>()
  /** Copies of pages that clients have, by caller and path. */
  readonly copies = new Map<string, PageCopy>()
  /** Writes that may be repeated, the last one first. */
  writes: SentWrite[] = []
  readonly onceKeys = new Map<string, RecordedKey>()
  /** Entity tags of objects, with the objects as JSON. */
  readonly objectTags: {
    readonly type: TypeName
    readonly tag: string
    readonly object: string
  }[] = []
  /** The number of idempotency keys that clients have made up. */
  madeKeys = 0
  keys: readonly Buffer[]

  constructor(seed: number, database: Database, slots: readonly AppSlot[]) {
    this.random = new Random(seed)
    this.database = database
    this.#slots = slots
    this.pageMaxBytes = this.random.chance(0.2) ? SHORT_PAGE_BYTES : LONG_PAGE_BYTES
    this.keys = [this.random.bytes(KEY_BYTES)]
  }

  async start(): Promise<void> {
    const slots = this.random.chance(0.3) ? this.#slots : this.#slots.slice(0, 1)
    for (const slot of slots) this.nodes.push(await this.startNode(slot))
    const reader = {
      id: 'reader',
      name: 'reader',
      scopes: ['api:ontologies-read' as const],
      ontologies: undefined,
      createdAtMs: START_MS,
      expiresAtMs: undefined,
      revokedAtMs: undefined,
    }
    await this.nodes[0]?.store.createApiToken(reader, hashSecret(CALLERS.reader))
  }

  startNode(slot: AppSlot): Promise<SimulatedNode> {
    return SimulatedNode.start({
      slot,
      database: this.database,
      settings: {
        OQS_PORT: '0',
        OQS_ADMIN_TOKEN: CALLERS.admin,
        OQS_LOG_LEVEL: 'silent',
        OQS_METRICS: 'off',
        OQS_DOCS: 'off',
        OQS_RATE_LIMIT_PER_MINUTE: 'none',
        OQS_MAX_CONCURRENT_REQUESTS: 'none',
        OQS_PAGE_TOKEN_TTL_SECONDS: String(TTL_SECONDS),
        OQS_SNAPSHOT_MAX_AGE_SECONDS: String(SNAPSHOT_SECONDS),
        OQS_CHANGES_MAX_AGE_SECONDS: String(CHANGES_SECONDS),
        OQS_LIST_OBJECTS_LIMIT: String(ENDPOINT_LIMIT),
        OQS_PAGE_MAX_BYTES: String(this.pageMaxBytes),
      },
      keys: this.keys,
      now: () => this.clock.now,
      random: this.random,
    })
  }

  get hasShortPages(): boolean {
    return this.pageMaxBytes === SHORT_PAGE_BYTES
  }

  newKey(): Buffer {
    return this.random.bytes(KEY_BYTES)
  }

  typeOf(name: TypeName): TypeModel {
    const type = this.types.get(name)
    if (type === undefined) throw new Error(`no type ${name}`)
    return type
  }

  /** Sends a request to a node, any one by default. Nothing may fail inside the service. */
  async send(
    request: HttpRequest,
    { caller = 'admin', node = this.random.pick(this.nodes) }: SendOptions = {},
  ): Promise<Answer> {
    const answer = await node.send(request, CALLERS[caller])
    const at = `${this.nodes.indexOf(node)} ${caller}`
    const sent = `${request.method} ${request.path} ${JSON.stringify(request.headers ?? {})} ${request.body ?? ''}`
    this.note(`node ${at}: ${sent} → ${answer.status} ${answer.text}`)
    if (answer.status >= 500) throw new Mismatch(`the service answered ${answer.status}`)
    return answer
  }

  /** Runs maintenance as the service does, with the clock of the simulation. */
  async maintain(): Promise<void> {
    const retention = retentionOf(LIFETIMES, () => this.clock.now)
    await this.random.pick(this.nodes).store.reclaim(retention)
    for (const type of this.types.values()) type.maintain(this.clock.now, KEPT)
    for (const [key, { expiresAtMs }] of this.onceKeys) {
      if (expiresAtMs <= this.clock.now) this.onceKeys.delete(key)
    }
    this.note('maintenance')
  }

  /** Adds the versions that the service has published by itself: the same objects, written again. */
  async noteConverted(): Promise<void> {
    const { types, typeNames } = await this.random.pick(this.nodes).store.readStatus()
    for (const { typeRid, version } of types) {
      const type = this.typeOf(typeNames.get(typeRid)?.objectType as TypeName)
      if (version > type.current.version) type.publishConverted(version)
    }
  }

  moveClock(seconds: number): void {
    this.clock.now += 1000 * seconds
    this.note(`the clock moves by ${seconds} s`)
  }

  /** Adds a line to the trace, which is also what two runs of a seed are compared by. */
  note(line: string): void {
    const seconds = (this.clock.now - START_MS) / 1000
    this.trace.push(`${String(seconds).padStart(7)} s  ${line}`)
    this.#digest.update(line)
  }

  /** Identifies everything that happened. */
  digest(): string {
    return this.#digest.copy().digest('hex').slice(0, 16)
  }

  async stop(): Promise<void> {
    for (const node of this.nodes.splice(0)) await node.stop()
  }
}

export interface SendOptions {
  readonly caller?: CallerName
  readonly node?: SimulatedNode
}

export interface PageCopy {
  readonly tag: string
  readonly body: Answer['body']
  /** The token of the copy, if it has one. */
  readonly token: PageToken | undefined
}

export interface RecordedKey {
  /** The request that used the key first. */
  readonly request: string
  readonly answer: Answer
  readonly expiresAtMs: number
}

/** Throws if what the service did is not what the model says. */
export function expectEqual(actual: unknown, expected: unknown, what: string): void {
  const [is, shall] = [JSON.stringify(actual), JSON.stringify(expected)]
  if (is !== shall) throw new Mismatch(`${what}\n    expected ${shall}\n    received ${is}`)
}

export function expectError(
  answer: Answer,
  status: number,
  errorName: string,
  reason?: string,
): void {
  const { body } = answer
  const expected = { status, errorName, ...(reason === undefined ? {} : { reason }) }
  const actual = {
    status: answer.status,
    errorName: body?.errorName,
    ...(reason === undefined ? {} : { reason: body?.parameters?.reason }),
  }
  expectEqual(actual, expected, 'the answer')
}

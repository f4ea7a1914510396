/** What a page must contain, and which page tokens must be refused with which reason. */
import type { SimObject, State } from './model.ts'
import type { Answer, SimulatedNode } from './node.ts'
import { compare, matchesOf, type WalkSpec } from './queries.ts'
import {
  type CallerName,
  ENDPOINT_LIMIT,
  expectEqual,
  expectError,
  Mismatch,
  SNAPSHOT_SECONDS,
  TTL_SECONDS,
  type TypeName,
  type World,
} from './world.ts'

/** A page token that a client has, with all that the model knows about it. */
export interface PageToken {
  readonly text: string
  readonly spec: WalkSpec
  readonly caller: CallerName
  readonly incarnation: number
  readonly sealedWith: Buffer
  readonly expiresAtMs: number
  /** The number of objects that the walk has returned. */
  readonly served: number
  /** The last object of the page, in the state that the page has shown. */
  readonly last: SimObject
  readonly readFrom: State
  readonly snapshot: Snapshot | undefined
  /** The count of a walk that is counted once. */
  readonly totalCount: number | undefined
  /** Whether earlier pages are of another moment. */
  readonly isContinued: boolean
}

interface Snapshot {
  readonly state: State
  readonly takenAtMs: number
}

/** A request for a page. */
export interface PageAttempt {
  readonly spec: WalkSpec
  readonly caller: CallerName
  readonly node: SimulatedNode
  readonly pageSize: number
  readonly token?: PageToken | undefined
  /** The token as the client sends it, if it is not the one that it received. */
  readonly forged?: string | undefined
}

/** A page that was returned and is right. */
export interface CheckedPage {
  readonly state: State
  readonly records: readonly SimObject[]
  readonly totalCount: number | undefined
  readonly hasNext: boolean
}

/** Checks the answer to a request. Returns undefined if it was refused, rightly. */
export function checkPage(
  world: World,
  attempt: PageAttempt,
  answer: Answer,
): CheckedPage | undefined {
  const refusal = refusalOf(world, attempt)
  if (refusal !== undefined) {
    expectError(answer, 400, refusal.errorName, refusal.reason)
    return undefined
  }
  const state = shownState(world, attempt)
  if (isWithoutCursor(state, attempt) && answer.status === 400) {
    // A table can be known for longer than its rows.
    const { reason } = answer.body.parameters ?? {}
    const isOfOldTable = reason === 'redefined' && attempt.token?.readFrom.isRedefined
    expectError(answer, 400, 'InvalidPageToken', isOfOldTable ? 'redefined' : 'reclaimed')
    return undefined
  }
  expectEqual(answer.status, 200, 'the status')
  const { data, nextPageToken, nextChangesToken, totalCount } = answer.body
  const expected = expectedPage(world, attempt, state, data.length)
  expectEqual(data.map(toObject), expected.records.map(toObject), 'the objects of the page')
  expectEqual(nextPageToken !== undefined, expected.hasNext, 'whether another page follows')
  const { surface, snapshot } = attempt.spec
  const isCopy = snapshot && !expected.hasNext && !attempt.token?.isContinued
  const canFollow = isCopy && surface !== 'search 2.0'
  expectEqual(nextChangesToken !== undefined, canFollow, 'whether changes can be followed')
  expectEqual(totalCount, expected.totalCount?.toString(), 'the total count')
  expectEqual(answer.headers['oqs-version'], String(state.version), 'the version of the page')
  return { state, ...expected }
}

/**
 * Checks which tokens come with a refusal: one that continues within the snapshot, exactly if that can
 * still be read, and one that goes on as of now. Returns what the model knows about them.
 */
export function tokensToGoOn(
  world: World,
  attempt: PageAttempt,
  { body }: Answer,
): readonly PageToken[] {
  const { token, node } = attempt
  const { reason, snapshotToken, continueToken } = body.parameters ?? {}
  const endMs = token?.snapshot === undefined ? 0 : endOfSnapshot(token.snapshot)
  const isRenewed = reason === 'expired' && endMs > world.clock.now
  expectEqual(snapshotToken !== undefined, isRenewed, 'whether the token is renewed')
  const isLost = token === undefined || !['expired', 'reclaimed'].includes(reason)
  const canContinue = isLost ? false : isContinuable(world, attempt, token)
  if (canContinue !== undefined) {
    expectEqual(continueToken !== undefined, canContinue, 'whether the walk can be continued')
  }
  if (token === undefined) return []
  const sealedWith = node.keys[0] as Buffer
  const latestMs = world.clock.now + 1000 * TTL_SECONDS
  const renewed = { sealedWith, expiresAtMs: Math.min(latestMs, endMs), text: snapshotToken }
  const asOfNow = { sealedWith, expiresAtMs: latestMs, text: continueToken, isContinued: true }
  const tokens = [
    ...(isRenewed ? [{ ...token, ...renewed }] : []),
    ...(continueToken === undefined
      ? []
      : [{ ...token, ...asOfNow, snapshot: undefined, totalCount: undefined }]),
  ]
  for (const { text } of tokens) checkSeal(world, text)
  return tokens
}

/**
 * In key order, every walk can go on. In an order by values, the service must find the row that the
 * last page ended with; undefined if it may be gone.
 */
function isContinuable(world: World, attempt: PageAttempt, token: PageToken): boolean | undefined {
  const { spec } = attempt
  if (spec.order.length === 0) return true
  if (token.served >= limitOf(world, spec)) return false
  if (isOfOldDefinition({ ...token, snapshot: undefined })) return false
  const { current } = world.typeOf(spec.objectType as TypeName)
  return isWithoutCursor(current, attempt) ? undefined : true
}

function endOfSnapshot({ takenAtMs }: Snapshot): number {
  return takenAtMs + 1000 * SNAPSHOT_SECONDS
}

/** Returns what the model knows about the token of a page. */
export function nextToken(
  world: World,
  { token, spec, node, caller }: PageAttempt,
  { state, records, totalCount }: CheckedPage,
  text: string,
): PageToken {
  checkSeal(world, text)
  const { now } = world.clock
  const snapshot = spec.snapshot ? (token?.snapshot ?? { state, takenAtMs: now }) : undefined
  const endMs = snapshot === undefined ? Infinity : endOfSnapshot(snapshot)
  return {
    text,
    spec,
    caller,
    incarnation: world.incarnation,
    sealedWith: node.keys[0] as Buffer,
    expiresAtMs: Math.min(now + 1000 * TTL_SECONDS, endMs),
    served: (token?.served ?? 0) + records.length,
    last: records.at(-1) as SimObject,
    readFrom: state,
    snapshot,
    totalCount: spec.snapshot || spec.conditions.length > 0 ? totalCount : undefined,
    isContinued: token?.isContinued ?? false,
  }
}

interface Refusal {
  readonly errorName: string
  readonly reason?: string
}

function refusalOf(
  world: World,
  { spec, caller, node, token, forged }: PageAttempt,
): Refusal | undefined {
  if (token === undefined) return undefined
  const refused = (reason: string) => ({ errorName: 'InvalidPageToken', reason })
  const isKnownKey = node.keys.some((key) => key.equals(token.sealedWith))
  if (forged !== undefined || !isKnownKey) return refused('malformed')
  if (caller !== token.caller) return refused('other caller')
  if (!isSameRequest(world, spec, token)) return refused('other request')
  if (token.expiresAtMs <= world.clock.now) return refused('expired')
  if (token.served >= limitOf(world, spec)) return { errorName: 'ObjectsExceededLimit' }
  if (token.snapshot?.state.isReclaimed) return refused('reclaimed')
  if (isOfOldDefinition(token)) return refused('redefined')
  return undefined
}

/**
 * True if the rest of a walk depends on values of objects that were converted since: those of its
 * snapshot, or of the object that its last page ended with.
 */
function isOfOldDefinition({ spec, snapshot, readFrom }: PageToken): boolean {
  const { conditions, order } = spec
  if (snapshot === undefined)
    return order.length > 0 && readFrom.isRedefined && !readFrom.isReclaimed
  return conditions.length + order.length > 0 && snapshot.state.isRedefined
}

function isSameRequest(world: World, spec: WalkSpec, token: PageToken): boolean {
  if (token.incarnation !== world.incarnation) return false
  return JSON.stringify(spec) === JSON.stringify(token.spec)
}

/** Only revision 1.0 limits how many objects a walk may return. */
function limitOf(world: World, { surface, objectType }: WalkSpec): number {
  if (!surface.endsWith('1.0')) return Infinity
  const { treeLimit } = world.definition
  if (objectType !== 'tree') return ENDPOINT_LIMIT
  return treeLimit === 'none' ? Infinity : treeLimit
}

function shownState(world: World, { token, spec }: PageAttempt): State {
  return token?.snapshot?.state ?? world.typeOf(spec.objectType as TypeName).current
}

/**
 * True if the walk may have lost its place: in an order by values, the service looks up the row
 * version that the last page ended with, and it is reclaimed like any other.
 */
function isWithoutCursor(state: State, { token, spec }: PageAttempt): boolean {
  if (token === undefined || spec.order.length === 0) return false
  return token.readFrom.isReclaimed && state.objects.get(token.last.k) !== token.last
}

function expectedPage(
  world: World,
  { spec, token, pageSize }: PageAttempt,
  state: State,
  received: number,
): Omit<CheckedPage, 'state'> {
  const matches = matchesOf(state.objects, spec)
  const rest =
    token === undefined
      ? matches
      : matches.filter((object) => compare(object, token.last, spec.order) > 0)
  const full = Math.min(pageSize, rest.length, limitOf(world, spec) - (token?.served ?? 0))
  // Its bytes decide where a page ends, but none is empty while objects follow.
  const count = world.hasShortPages ? Math.max(Math.min(received, full), Math.min(full, 1)) : full
  const records = rest.slice(0, count)
  const isCounted = spec.surface !== 'search 2.0'
  const totalCount = isCounted ? (token?.totalCount ?? matches.length) : undefined
  return { records, totalCount, hasNext: rest.length > records.length }
}

const PROPERTIES = ['k', 'n', 's', 'tags', 'pad'] as const

/** Returns the properties of a record of any revision, or of an object, in one order. */
export function toObject(record: object): object {
  const properties = ('properties' in record ? record.properties : record) as SimObject
  return Object.fromEntries(PROPERTIES.map((name) => [name, properties[name]]))
}

/** The offset and length of key id, salt and nonce in a token. */
const SEAL = [1, 33] as const

/** No nonce may be used twice with one key, or tokens could be read and forged. */
export function checkSeal(world: World, token: string): void {
  const seal = Buffer.from(token.slice('v1.'.length), 'base64url').toString('hex', ...SEAL)
  if (world.seals.has(seal)) throw new Mismatch('a page token has the key and nonce of another one')
  world.seals.add(seal)
}

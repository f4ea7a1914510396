/**
 * Steps of clients that keep a copy: they read a snapshot, then follow what changes. After every
 * catch-up, the copy must be what the model holds.
 */
import type { SimObject, State } from './model.ts'
import type { Answer, SimulatedNode } from './node.ts'
import { checkSeal, toObject } from './page-model.ts'
import {
  type Condition,
  combined,
  type HttpRequest,
  matchesOf,
  pageRequest,
  post,
  randomSpec,
  type WalkSpec,
} from './queries.ts'
import {
  type CallerName,
  CHANGES_SECONDS,
  expectEqual,
  expectError,
  Mismatch,
  ONTOLOGY,
  TYPES,
  type TypeName,
  type World,
} from './world.ts'

/** A client that follows objects, and what the model knows about its copy. */
export interface Follower {
  readonly objects: FollowedObjects
  readonly caller: CallerName
  readonly incarnation: number
  /** The objects by type and key. */
  readonly copy: Map<string, object>
  /** The states that the copy has. */
  states: ReadonlyMap<TypeName, State>
  token: string
  sealedWith: Buffer
  expiresAtMs: number
}

/** The objects of one type as a list or search selects them, or those of all types. */
type FollowedObjects = WalkSpec | { readonly conditions: readonly Condition[] }

type Write = (world: World) => Promise<void>

const MAX_FOLLOWERS = 4
const MAX_PAGE_SIZE = 5
/** More pages than any copy or catch-up has. */
const MAX_PAGES = 60
const V2 = `/api/v2/ontologies/${ONTOLOGY}`

/** Copies a snapshot, while others write. */
export async function startFollower(world: World, write: Write): Promise<void> {
  const { random } = world
  const objects = randomObjects(world)
  const caller = random.pick<CallerName>(['admin', 'reader'])
  const node = random.pick(world.nodes)
  const pageSize = random.between(1, MAX_PAGE_SIZE)
  const states = currentStates(world, objects)
  const takenAtMs = world.clock.now
  const copy = new Map<string, object>()
  for (let pageToken: string | undefined, pages = 0; ; pages += 1) {
    if (pages > MAX_PAGES) throw new Mismatch('the walk does not end')
    const request = copyRequest(objects, { pageSize, pageToken })
    const { status, body } = await world.send(request, { caller, node })
    // The limit of a list ends some walks.
    if (status === 400 && body.errorName === 'ObjectsExceededLimit') return
    expectEqual(status, 200, 'the status')
    for (const record of body.data) copy.set(keyOf(record, objects), toObject(record))
    pageToken = body.nextPageToken
    if (pageToken === undefined) {
      expectCopy(copy, objects, states)
      const token = tokenOf(world, body, node, takenAtMs)
      const follower = { objects, caller, incarnation: world.incarnation, copy, states, ...token }
      world.followers = [follower, ...world.followers].slice(0, MAX_FOLLOWERS)
      return
    }
    if (random.chance(0.3)) await write(world)
  }
}

/** Follows all changes, while others write. What comes after the first page is left for next time. */
export async function catchUp(world: World, write: Write): Promise<void> {
  const { random, followers } = world
  if (followers.length === 0) return
  const follower = random.pick(followers)
  const node = random.pick(world.nodes)
  const pageSize = random.between(1, MAX_PAGE_SIZE)
  const states = currentStates(world, follower.objects)
  const takenAtMs = world.clock.now
  const seen = new Set<string>()
  for (let pageToken: string | undefined, pages = 0; ; pages += 1) {
    if (pages > MAX_PAGES) throw new Mismatch('the changes do not end')
    const { token: since, caller } = follower
    const request = changesRequest(follower.objects, since, { pageSize, pageToken })
    const answer = await world.send(request, { caller, node })
    if (isRefused(world, follower, node, answer)) {
      world.followers = followers.filter((one) => one !== follower)
      return
    }
    expectEqual(answer.status, 200, 'the status')
    const { data, nextPageToken } = answer.body
    for (const change of data) applyChange(follower, states, change, seen)
    if (nextPageToken === undefined) {
      expectEqual(wasReclaimed(follower), false, 'whether changes of a reclaimed version are told')
      expectSeen(follower, states, seen)
      expectCopy(follower.copy, follower.objects, states)
      Object.assign(follower, { states, ...tokenOf(world, answer.body, node, takenAtMs) })
      return
    }
    if (data.length === 0) throw new Mismatch('a page is empty, and another one follows')
    pageToken = nextPageToken
    if (random.chance(0.3)) await write(world)
  }
}

function randomObjects({ random }: World): FollowedObjects {
  const spec = randomSpec(random, random.pick(TYPES))
  if (random.chance(0.3)) return { conditions: spec.conditions }
  // Revision 2.0 and searches of 1.0 have no request for changes.
  const surface = spec.surface.endsWith('.0') ? 'list 1.0' : spec.surface
  return { ...spec, surface, snapshot: true }
}

interface PagePart {
  readonly pageSize: number
  readonly pageToken: string | undefined
}

function copyRequest(objects: FollowedObjects, page: PagePart): HttpRequest {
  if ('surface' in objects) return pageRequest(objects, ONTOLOGY, page)
  const path = `${V2}/objectSets/loadObjectsMultipleObjectTypes`
  return post(path, { objectSet: setOf(objects), snapshot: true, ...page })
}

function changesRequest(objects: FollowedObjects, since: string, page: PagePart): HttpRequest {
  if (!('surface' in objects) || objects.surface === 'set v2') {
    return post(`${V2}/objectSets/changes`, { objectSet: setOf(objects), since, ...page })
  }
  const { surface, objectType, conditions } = objects
  if (surface === 'search v2') {
    const where = combined(conditions, '')
    return post(`${V2}/changes/${objectType}`, { where, since, ...page })
  }
  const query = new URLSearchParams({ since, pageSize: String(page.pageSize) })
  for (const { property, operator, value } of conditions) {
    query.set(`p.${property}.${operator}`, String(value))
  }
  if (page.pageToken !== undefined) query.set('pageToken', page.pageToken)
  const api = surface === 'list 1.0' ? `/api/v1/ontologies/${ONTOLOGY}` : V2
  return { method: 'GET', path: `${api}/changes/${objectType}?${query}` }
}

function setOf(objects: FollowedObjects): object {
  const bases = typesOf(objects).map((objectType) => ({ type: 'base', objectType }))
  const [only, ...others] = bases
  const all = others.length === 0 ? only : { type: 'union', objectSets: bases }
  const where = combined(objects.conditions, '')
  return where === undefined ? Object(all) : { type: 'filter', objectSet: all, where }
}

function typesOf(objects: FollowedObjects): readonly TypeName[] {
  return 'surface' in objects ? [objects.objectType as TypeName] : TYPES
}

function currentStates(world: World, objects: FollowedObjects): ReadonlyMap<TypeName, State> {
  return new Map(typesOf(objects).map((type) => [type, world.typeOf(type).current]))
}

interface WireChange {
  readonly put?: object
  readonly delete?: { readonly primaryKey: unknown; readonly objectType?: string }
}

function applyChange(
  { copy, objects }: Follower,
  states: ReadonlyMap<TypeName, State>,
  { put, delete: removed }: WireChange,
  seen: Set<string>,
): void {
  const [only] = states.keys()
  const key =
    put === undefined
      ? nameOf(removed?.objectType ?? String(only), removed?.primaryKey)
      : keyOf(put, objects)
  if (seen.has(key)) throw new Mismatch(`${key} comes twice`)
  seen.add(key)
  if (put !== undefined) copy.set(key, toObject(put))
  else if (!copy.delete(key)) throw new Mismatch(`the delete of ${key}, which was not in the copy`)
}

/** Exactly the objects are told that were written since, or that are gone. */
function expectSeen(
  { objects, states: earlier }: Follower,
  later: ReadonlyMap<TypeName, State>,
  seen: ReadonlySet<string>,
): void {
  const expected = [...later].flatMap(([type, state]) => {
    const [before, after] = [earlier.get(type) as State, state].map(
      (one) => new Map(matching(one, objects).map((object) => [object.k, object])),
    ) as [Map<unknown, SimObject>, Map<unknown, SimObject>]
    const keys = new Set([...before.keys(), ...after.keys()])
    return [...keys].filter((k) => before.get(k) !== after.get(k)).map((k) => nameOf(type, k))
  })
  expectEqual([...seen].sort(), expected.sort(), 'which objects are told')
}

function expectCopy(
  copy: ReadonlyMap<string, object>,
  objects: FollowedObjects,
  states: ReadonlyMap<TypeName, State>,
): void {
  const expected = [...states].flatMap(([type, state]) =>
    matching(state, objects).map((object) => [nameOf(type, object.k), toObject(object)] as const),
  )
  const sorted = (entries: readonly (readonly [string, object])[]) =>
    entries.toSorted(([a], [b]) => (a < b ? -1 : 1))
  expectEqual(sorted([...copy]), sorted(expected), 'the copy')
}

function matching({ objects }: State, { conditions }: FollowedObjects): SimObject[] {
  return matchesOf(objects, { conditions, order: [] })
}

function nameOf(type: string, key: unknown): string {
  return `${type} ${key}`
}

function keyOf(record: object, objects: FollowedObjects): string {
  const { k } = toObject(record) as SimObject
  const names = record as Record<string, string | undefined>
  const type = names['__apiName'] ?? names['$apiName'] ?? typesOf(objects)[0]
  return nameOf(String(type), k)
}

function tokenOf(
  world: World,
  { nextChangesToken: token }: Answer['body'],
  node: SimulatedNode,
  takenAtMs: number,
): Pick<Follower, 'token' | 'sealedWith' | 'expiresAtMs'> {
  if (typeof token !== 'string') throw new Mismatch('the last page has no token for changes')
  checkSeal(world, token)
  const expiresAtMs = takenAtMs + 1000 * CHANGES_SECONDS
  return { token, sealedWith: node.keys[0] as Buffer, expiresAtMs }
}

/** Returns whether an answer is a refusal, which the model must agree with. */
function isRefused(
  world: World,
  follower: Follower,
  { keys }: SimulatedNode,
  answer: Answer,
): boolean {
  const { incarnation, sealedWith, expiresAtMs, states, objects } = follower
  const refusal = !keys.some((key) => key.equals(sealedWith))
    ? 'malformed'
    : incarnation !== world.incarnation
      ? 'other request'
      : expiresAtMs <= world.clock.now
        ? 'expired'
        : undefined
  if (refusal !== undefined) {
    expectError(answer, 400, 'InvalidPageToken', refusal)
    return true
  }
  if (answer.status === 200) return false
  // Reclaimed versions are refused at the page that needs them, and so are values of an old definition.
  const isRedefined = [...states.values()].some((state) => state.isRedefined)
  const { reason } = answer.body.parameters ?? {}
  const mayBeRedefined = objects.conditions.length > 0 && isRedefined
  if (!(reason === 'redefined' && mayBeRedefined)) {
    expectEqual(wasReclaimed(follower), true, 'whether the version was reclaimed')
    expectError(answer, 400, 'InvalidPageToken', 'reclaimed')
  }
  return true
}

function wasReclaimed({ states }: Follower): boolean {
  return [...states.values()].some(({ isReclaimed }) => isReclaimed)
}

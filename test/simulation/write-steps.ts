/** Steps of clients that write: batches, single objects, deletions by query, and replacements. */
import {
  applyChanges,
  applyReplacement,
  type Change,
  type Key,
  type Objects,
  type PublishMode,
  type Replacement,
  type SimObject,
  type TypeModel,
  type WriteMode,
} from './model.ts'
import { toObject } from './page-model.ts'
import { type Condition, combined, type HttpRequest, matches, post, WORDS } from './queries.ts'
import type { Random } from './random.ts'
import {
  expectEqual,
  expectError,
  KEPT,
  ONTOLOGY,
  TYPES,
  type TypeName,
  type World,
} from './world.ts'
import { type SentWrite, sendWrite } from './write-model.ts'

const KEYS = 20
const MAX_CHANGES = 8
const MAX_REPLACEMENTS = 2
const SLOW_BATCHES = 3
/** The time after which an idle replacement expires. */
const IDLE_SECONDS = KEPT.idleReplacementsMs / 1000
const LONGEST_PAD = 400

const pathOf = (type: TypeName) => `/api/admin/v1/ontologies/${ONTOLOGY}/objects/${type}`

export async function writeBatch(world: World): Promise<void> {
  const name = world.random.pick(TYPES)
  const changes = randomChanges(world, name)
  const mode: WriteMode = world.random.chance(0.2) ? 'append' : 'upsert'
  await sendWrite(world, batch(`${pathOf(name)}?mode=${mode}`, changes), ({ status, body }) => {
    expectEqual(status, 200, 'the status')
    const type = world.typeOf(name)
    const { objects, ...counts } = applyChanges(type.current.objects, changes, mode)
    publishIfChanged(world, type, objects, counts.put + counts.deleted, body.version)
    const { put, deleted, kept } = counts
    const expected = { put, deleted, ...(mode === 'append' ? { kept } : {}) }
    expectEqual(body, { version: type.current.version, ...expected }, 'the answer')
  })
}

export async function writeObject(world: World): Promise<void> {
  const { random, incarnation } = world
  const name = random.pick(TYPES)
  const object = randomObject(world, name)
  const known = world.objectTags.filter((entry) => entry.type === name)
  const tag = known.length > 0 && random.chance(0.6) ? random.pick(known.slice(0, 4)) : undefined
  const target = tag === undefined ? object : { ...object, k: JSON.parse(tag.object).k as Key }
  const isDeletion = random.chance(0.25)
  const request: HttpRequest = {
    method: isDeletion ? 'DELETE' : 'PUT',
    path: `${pathOf(name)}/${target.k}`,
    ...(tag === undefined ? {} : { headers: { 'if-match': tag.tag } }),
    ...(isDeletion ? {} : { contentType: 'application/json', body: JSON.stringify(target) }),
  }
  await sendWrite(world, request, (answer) => {
    const type = world.typeOf(name)
    const current = type.current.objects.get(target.k)
    // An object of a type that was deleted and defined again has another id, and so another tag.
    const isSameType = world.incarnation === incarnation
    const isCurrent = isSameType && current !== undefined && textOf(current) === tag?.object
    if (tag !== undefined && !isCurrent) return expectError(answer, 412, 'PreconditionFailed')
    if (isDeletion && current === undefined) return expectError(answer, 404, 'ObjectNotFound')
    expectEqual(answer.status, current === undefined ? 201 : 200, 'the status')
    const change: Change = isDeletion ? { delete: target.k } : { put: target }
    const { objects } = applyChanges(type.current.objects, [change], 'upsert')
    type.publish(objects, answer.body.version)
    const { etag } = answer.headers
    if (typeof etag === 'string')
      world.objectTags.unshift({ type: name, tag: etag, object: textOf(target) })
  })
}

export async function deleteByQuery(world: World): Promise<void> {
  const { random } = world
  const name = random.pick(TYPES)
  const condition = random.pick<Condition>([
    { property: 's', operator: 'eq', value: random.pick(WORDS) },
    { property: 'n', operator: 'gt', value: random.between(3, 5) },
    { property: 'tags', operator: 'contains', value: random.pick(WORDS) },
  ])
  const query = combined([condition], 'properties.')
  await sendWrite(world, post(`${pathOf(name)}/deleteByQuery`, { query }), ({ status, body }) => {
    expectEqual(status, 200, 'the status')
    const type = world.typeOf(name)
    const all = [...type.current.objects]
    const left = all.filter(([, object]) => !matches(object, condition))
    const deleted = all.length - left.length
    publishIfChanged(world, type, new Map(left), deleted, body.version)
    expectEqual(body, { version: type.current.version, deleted }, 'the answer')
  })
}

export async function startReplacement(world: World): Promise<void> {
  const name = world.random.pick(TYPES)
  const { replacements, open } = world.typeOf(name)
  if (open.length >= MAX_REPLACEMENTS) return
  const { status, body } = await world.send({
    method: 'POST',
    path: `${pathOf(name)}/replacements`,
  })
  expectEqual(status, 200, 'the status')
  const id = String(body.replacement)
  expectEqual(replacements.has(id), false, 'whether the replacement existed')
  replacements.set(id, { id, objects: new Map(), status: 'loading', idleSince: undefined })
}

/** Loads a replacement as slowly as it may be, while maintenance looks for idle ones. */
export async function loadSlowly(world: World): Promise<void> {
  await startReplacement(world)
  const picked = pickReplacement(world)
  for (let batches = 0; batches < SLOW_BATCHES; batches += 1) {
    await loadReplacement(world, picked)
    await world.maintain()
    world.moveClock(world.random.between(IDLE_SECONDS / 2, IDLE_SECONDS - 1))
  }
}

export async function loadReplacement(world: World, picked = pickReplacement(world)) {
  if (picked === undefined) return
  const { name, replacement } = picked
  const changes = randomChanges(world, name)
  const path = `${pathOf(name)}?replacement=${replacement.id}`
  const apply: SentWrite['apply'] = (answer) => {
    if (!isLoading(world, name, replacement)) {
      return expectError(answer, 404, 'ReplacementNotFound')
    }
    const { objects, put, deleted } = applyChanges(replacement.objects, changes, 'upsert')
    const { version } = world.typeOf(name).current
    expectEqual([answer.status, answer.body], [200, { version, put, deleted }], 'the answer')
    replacement.objects = objects
  }
  await sendWrite(world, batch(path, changes), apply, replacement)
}

/** Publishes a replacement, or asks again for the answer to its publication. */
export async function publishReplacement(world: World): Promise<void> {
  const picked = pickReplacement(world)
  if (picked === undefined) return
  const { name, type, replacement } = picked
  const mode = world.random.pick<PublishMode>(['replace', 'replace', 'upsert', 'append'])
  const path = `${pathOf(name)}/replacements/${replacement.id}/publish?mode=${mode}`
  const answer = await world.send({ method: 'POST', path })
  const { published } = replacement
  if (published !== undefined && !published.state.isReclaimed) {
    if (mode !== published.mode) return expectError(answer, 409, 'ReplacementAlreadyPublished')
    return expectEqual(answer.body, published.answer, 'the answer to a repeated publication')
  }
  if (!isLoading(world, name, replacement)) return expectError(answer, 404, 'ReplacementNotFound')
  expectEqual(answer.status, 200, 'the status')
  const { objects, put, deleted, kept } = applyReplacement(
    type.current.objects,
    replacement.objects,
    mode,
  )
  const state = type.publish(objects, answer.body.version)
  replacement.status = 'published'
  const counts = { version: state.version, put, deleted, ...(mode === 'append' ? { kept } : {}) }
  replacement.published = { state, mode, answer: counts }
  expectEqual(answer.body, counts, 'the answer')
}

export async function abandonReplacement(world: World): Promise<void> {
  const picked = pickReplacement(world)
  if (picked === undefined) return
  const { name, replacement } = picked
  const path = `${pathOf(name)}/replacements/${replacement.id}`
  const answer = await world.send({ method: 'DELETE', path })
  if (!isLoading(world, name, replacement)) return expectError(answer, 404, 'ReplacementNotFound')
  expectEqual(answer.status, 200, 'the status')
  replacement.status = 'abandoned'
}

function pickReplacement(world: World) {
  const name = world.random.pick(TYPES)
  const type = world.typeOf(name)
  const all = [...type.replacements.values()].slice(-3)
  return all.length === 0 ? undefined : { name, type, replacement: world.random.pick(all) }
}

/** False for a replacement of a type that was deleted since. */
function isLoading(world: World, name: TypeName, replacement: Replacement): boolean {
  const { replacements } = world.typeOf(name)
  return replacements.get(replacement.id) === replacement && replacement.status === 'loading'
}

function publishIfChanged(
  world: World,
  type: TypeModel,
  objects: Objects,
  changed: number,
  version: number,
): void {
  if (changed > 0) type.publish(objects, version)
  else expectEqual(version, type.current.version, 'the version of a write without effect')
  world.note(`${changed} changed, version ${version}`)
}

function batch(path: string, changes: readonly Change[]): HttpRequest {
  const body = changes.map((change) => JSON.stringify(change)).join('\n')
  return { method: 'POST', path, contentType: 'application/x-ndjson', body }
}

function randomChanges(world: World, type: TypeName): Change[] {
  const { random } = world
  return Array.from({ length: random.between(1, MAX_CHANGES) }, () =>
    random.chance(0.25) ? { delete: randomKey(random, type) } : { put: randomObject(world, type) },
  )
}

function randomObject(world: World, type: TypeName): SimObject {
  const { random } = world
  return {
    k: randomKey(random, type),
    ...(random.chance(0.85) ? { n: random.below(6) } : {}),
    ...(random.chance(0.85) ? { s: random.pick(WORDS) } : {}),
    ...(random.chance(0.4) ? { tags: [random.pick(WORDS), random.pick(WORDS)] } : {}),
    ...(world.hasShortPages ? { pad: 'x'.repeat(random.below(LONGEST_PAD)) } : {}),
  }
}

function randomKey(random: Random, type: TypeName): Key {
  const number = random.below(KEYS)
  return type === 'tree' ? `tree-${String(number).padStart(2, '0')}` : number
}

function textOf(object: SimObject): string {
  return JSON.stringify(toObject(object))
}

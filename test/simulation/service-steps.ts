/** Steps of operators and of time: restarts, key rotation, clock jumps, changed definitions. */
import { TypeModel } from './model.ts'
import type { Answer } from './node.ts'
import { expectEqual, ONTOLOGY, TYPES, type World } from './world.ts'

const DAY_SECONDS = 86_400
const MAX_KEYS = 3
const MAX_EXTRA_PROPERTIES = 2

export async function applyDefinition(world: World): Promise<void> {
  expectEqual((await sendDefinition(world)).status, 200, 'the status of a changed definition')
}

function sendDefinition(world: World): Promise<Answer> {
  const { treeLimit, extraProperties, level } = world.definition
  const extra = Array.from({ length: extraProperties }, (_, at) => [`extra${at}`, STRING])
  const properties = {
    n: { type: 'integer' },
    s: STRING,
    tags: { type: 'array', items: STRING },
    pad: STRING,
    level: { type: level },
    ...Object.fromEntries(extra),
  }
  const definition = {
    apiName: ONTOLOGY,
    families: [ONTOLOGY],
    objectTypes: [
      {
        apiName: 'tree',
        primaryKey: 'k',
        retrievalLimit: treeLimit,
        properties: { k: STRING, ...properties },
      },
      { apiName: 'bird', primaryKey: 'k', properties: { k: { type: 'integer' }, ...properties } },
    ],
  }
  const path = `/api/admin/v1/ontologies/${ONTOLOGY}`
  const body = JSON.stringify(definition)
  return world.send({ method: 'PUT', path, contentType: 'application/json', body })
}

const STRING = { type: 'string' }

export async function changeDefinition(world: World): Promise<void> {
  const { random, definition } = world
  definition.treeLimit = random.pick([random.between(1, 12), 'none'])
  if (random.chance(0.3) && definition.extraProperties < MAX_EXTRA_PROPERTIES) {
    definition.extraProperties += 1
  }
  await applyDefinition(world)
}

/**
 * Changes the type of a property that no object has, so that all objects are converted in the
 * background, while clients write. The converted objects are a new version with the same values.
 */
export async function convertObjects(
  world: World,
  write: (world: World) => Promise<void>,
): Promise<void> {
  const { random, definition } = world
  const { level } = definition
  definition.level = level === 'integer' ? 'long' : 'integer'
  const { status } = await sendDefinition(world)
  expectEqual(status, conversionStatus(world), 'the status of a conversion')
  for (let isRunning = status === 202; isRunning; ) {
    const step = await random.pick(world.nodes).store.rewriteNext()
    await world.noteConverted()
    isRunning = step !== undefined
    world.note(`conversion: ${step?.phase ?? 'nothing left'}`)
    if (isRunning && random.chance(0.4)) await write(world)
  }
  await world.noteConverted()
  if (status === 409 || (status === 202 && (await cancelWaiting(world)))) definition.level = level
}

/** Refused while objects are being loaded; in the background if there are objects. */
function conversionStatus({ types }: World): number {
  const models = [...types.values()]
  if (models.some(({ open }) => open.some(({ objects }) => objects.size > 0))) return 409
  return models.some(({ current }) => current.objects.size > 0) ? 202 : 200
}

/** Cancels a conversion that waits for a replacement, and returns whether there is one. */
async function cancelWaiting(world: World): Promise<boolean> {
  const path = `/api/admin/v1/ontologies/${ONTOLOGY}/change`
  const isWaiting = [...world.types.values()].some(({ open }) => open.length > 0)
  const { body } = await world.send({ method: 'GET', path })
  expectEqual(body.state, isWaiting ? 'running' : 'published', 'the state of a conversion')
  if (isWaiting) {
    const { status } = await world.send({ method: 'DELETE', path })
    expectEqual(status, 200, 'the status of a cancellation')
  }
  return isWaiting
}

/** Deletes everything and defines the same names again. */
export async function recreateOntology(world: World): Promise<void> {
  const path = `/api/admin/v1/ontologies/${ONTOLOGY}?cascade=true`
  const answer = await world.send({ method: 'DELETE', path })
  expectEqual(answer.status, 200, 'the status of a deletion')
  for (const type of TYPES) world.types.set(type, new TypeModel())
  world.incarnation += 1
  world.objectTags.length = 0
  await applyDefinition(world)
}

export async function moveClock(world: World): Promise<void> {
  const { random, clock, tokens } = world
  const next = tokens.length === 0 ? undefined : random.pick(tokens)
  const untilExpiry = ((next?.expiresAtMs ?? 0) - clock.now) / 1000 - random.below(2)
  const seconds = random.pickWeighted<number>([
    [30, random.between(1, 30)],
    [15, untilExpiry > 0 ? untilExpiry : 1],
    [10, random.between(200, 400)],
    [10, random.between(1100, 1400)],
    [4, random.between(3600, 8000)],
    [2, DAY_SECONDS - random.below(2)],
    [8, -random.between(1, 400)],
    [4, -random.between(400, 5000)],
  ])
  world.moveClock(seconds)
}

/** The clock is wrong for a while, and maintenance trusts it. */
export async function mistakeClock(world: World): Promise<void> {
  const seconds = world.random.between(1000, 5000) * (world.random.chance(0.8) ? 1 : -1)
  if (world.random.chance(0.7)) await world.maintain()
  world.moveClock(seconds)
  await world.maintain()
  world.moveClock(-seconds)
}

/** Stops one node and starts it again, on the same database. */
export async function restartNode(world: World): Promise<void> {
  const node = world.random.pick(world.nodes)
  const at = world.nodes.indexOf(node)
  world.note(`node ${at} restarts with ${world.keys.length} keys`)
  await node.stop()
  world.nodes[at] = await world.startNode(node.slot)
}

/** Ends all nodes as a power failure does: nothing is closed, and only what is on disk is left. */
export async function crash(world: World): Promise<void> {
  const { database, nodes } = world
  world.note('all nodes crash')
  database.crash?.()
  const slots = nodes.map(({ slot }) => slot)
  await world.stop()
  for (const slot of slots) nodes.push(await world.startNode(slot))
}

/** Does the next part of a key rotation, which each node learns when it restarts. */
export async function rotateKeys(world: World): Promise<void> {
  const { random, keys } = world
  const [first, ...others] = keys
  const choices: (readonly Buffer[])[] = [
    ...(keys.length < MAX_KEYS
      ? [
          [...keys, world.newKey()],
          [world.newKey(), ...keys],
        ]
      : []),
    ...(others.length > 0 && first !== undefined ? [[...others, first], others, [first]] : []),
  ]
  world.keys = random.pick(choices)
  await restartNode(world)
}

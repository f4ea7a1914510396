/** Steps of operators and of time: restarts, key rotation, clock jumps, changed definitions. */
import { TypeModel } from './model.ts'
import { expectEqual, ONTOLOGY, TYPES, type World } from './world.ts'

const SECOND = 1000
const DAY = 86_400 * SECOND
const MAX_KEYS = 3
const MAX_EXTRA_PROPERTIES = 2

export async function applyDefinition(world: World): Promise<void> {
  const { treeLimit, extraProperties } = world.definition
  const extra = Array.from({ length: extraProperties }, (_, at) => [`extra${at}`, STRING])
  const properties = {
    n: { type: 'integer' },
    s: STRING,
    tags: { type: 'array', items: STRING },
    pad: STRING,
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
  const answer = await world.send({ method: 'PUT', path, contentType: 'application/json', body })
  expectEqual(answer.status, 200, 'the status of a changed definition')
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
  const beforeExpiry = (next?.expiresAtMs ?? 0) - clock.now - (random.chance(0.5) ? SECOND : 0)
  const step = random.pickWeighted<number>([
    [30, SECOND * random.between(1, 30)],
    [15, beforeExpiry > 0 ? beforeExpiry : SECOND],
    [10, SECOND * random.between(200, 400)],
    [10, SECOND * random.between(1100, 1400)],
    [4, SECOND * random.between(3600, 8000)],
    [2, DAY - SECOND * random.below(2)],
    [8, -SECOND * random.between(1, 400)],
    [4, -SECOND * random.between(400, 5000)],
  ])
  clock.now += step
  world.note(`the clock moves by ${step / SECOND} s`)
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

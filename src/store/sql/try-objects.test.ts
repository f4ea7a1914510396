import { expect, it } from 'vitest'
import { Catalogue } from '../../ontology/catalogue.ts'
import { planChange } from '../../ontology/definition/change-definition.ts'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import { parseDefinition } from '../../ontology/definition/parse-definition.ts'
import { typeConverter } from './stored-change.ts'
import { type NextObjects, StepTrial, type TryOptions, tryInSteps } from './try-objects.ts'

const RID = 'ri.ontology.main.object-type.00000000-0000-4000-8000-000000000001'

function definition(key: 'string' | 'integer'): OntologyDefinition {
  return {
    rid: 'ri.ontology.main.ontology.00000000-0000-4000-8000-000000000001',
    apiName: 'things',
    objectTypes: [
      { rid: RID, apiName: 'thing', primaryKey: 'k', properties: { k: { type: key } } },
    ],
  }
}

/** Tries a change of the key from text to integer; each step tries two objects and takes a second. */
function tryKeys(keys: readonly string[], options: Partial<TryOptions> = {}) {
  const [before, after] = [definition('string'), definition('integer')]
  const catalogue = new Catalogue(1, [parseDefinition(before)])
  const change = planChange('things', after, catalogue, () => '')
  const converter = typeConverter(before, { ...change, definition: after }, RID)
  let seconds = 0
  const tryNext = async ({ after: last }: NextObjects) => {
    seconds += 1
    const rest = keys.slice(last === '' ? 0 : Number(last) + 1)
    const trial = new StepTrial(converter, last)
    for (const [index, k] of rest.slice(0, 2).entries()) {
      const position = keys.length - rest.length + index
      trial.add(String(position), JSON.stringify(k), JSON.stringify({ k }))
    }
    return trial.end(rest.length <= 2)
  }
  const now = () => 1000 * seconds
  return tryInSteps(change, tryNext, { now, maxMs: 60_000, maxKeys: 100, ...options })
}

it('counts objects that do not fit, or that would share a key', async () => {
  const found = await tryKeys(['1', 'x', '2', '3', 'y'])
  expect(found).toMatchObject({ tried: 5, unfit: 2, untried: [] })
  expect(found.unfitObjects.map(({ primaryKey }) => primaryKey)).toEqual(['x', 'y'])
  const same = await tryKeys(['1', '2', '3', '01', '02'])
  expect(same).toMatchObject({ tried: 5, unfit: 2, untried: [] })
  expect(same.unfitObjects.map(({ primaryKey }) => primaryKey)).toEqual(['01', '02'])
})

it('finds each shared key among many', async () => {
  const keys = Array.from({ length: 3000 }, (_, n) => String(n))
  expect(await tryKeys([...keys, '07', '02999'], { maxMs: 1e9, maxKeys: 1e6 })).toMatchObject({
    tried: 3002,
    unfit: 2,
  })
})

it('tells what it has not tried when the time is over or keys need too much memory', async () => {
  expect(await tryKeys(['1', 'x', '2', '3', 'y'], { maxMs: 1000 })).toMatchObject({
    tried: 2,
    unfit: 1,
    untried: ['the other objects of thing: a dry run ends after 1 seconds'],
  })
  expect(await tryKeys(['1', '2', '3', '02', 'y'], { maxKeys: 2 })).toMatchObject({
    tried: 5,
    unfit: 1,
    untried: ['whether the primary keys of thing are unique, beyond 2 objects'],
  })
})

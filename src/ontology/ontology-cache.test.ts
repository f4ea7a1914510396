import { describe, expect, it } from 'vitest'
import { parseDefinition } from './definition/parse-definition.ts'
import { OntologyCache } from './ontology-cache.ts'

const ontology = (apiName: string) =>
  parseDefinition({ apiName, rid: `ri.ontology.main.ontology.${apiName}`, objectTypes: [] })
const held = (callerId: string, bytes = 10_000) => ({ callerId, bytes })

describe('a cache of definitions', () => {
  it('evicts what was used least recently', () => {
    const cache = new OntologyCache(35_000)
    for (const name of ['a', 'b', 'c']) cache.add(name, ontology(name), held('ada'))
    cache.find('a')
    cache.add('d', ontology('d'), held('ada'))
    expect(['a', 'b', 'c', 'd'].map((name) => cache.find(name)?.apiName)).toEqual([
      'a',
      undefined,
      'c',
      'd',
    ])
    expect(cache.bytes).toBeLessThanOrEqual(cache.maxBytes)
  })

  it('takes from the caller that holds the most', () => {
    const cache = new OntologyCache(100_000)
    cache.add('small', ontology('small'), held('bob'))
    for (let index = 0; index < 50; index += 1) {
      cache.add(`large ${index}`, ontology(`large${index}`), held('mallory', 30_000))
    }
    expect(cache.find('small')?.apiName).toBe('small')
    expect(cache.find('large 49')?.apiName).toBe('large49')
    expect(cache.find('large 0')).toBeUndefined()
  })

  it('keeps views as long as their definition', () => {
    const cache = new OntologyCache<string>(100_000)
    const [first, second] = [ontology('staff'), ontology('staff')]
    cache.add('staff 1', first, held('ada'))
    for (let index = 0; index < 4; index += 1) {
      cache.addView(first, `view ${index}`, `of ada ${index}`, held('ada'))
    }
    expect(cache.findView(first, 'view 3')).toBe('of ada 3')
    // A new generation of the catalogue has another definition.
    cache.delete('staff 1')
    expect(cache.bytes).toBe(0)
    cache.add('staff 2', second, held('ada'))
    expect(cache.findView(first, 'view 3')).toBeUndefined()
    expect(cache.findView(second, 'view 3')).toBeUndefined()
    // Nothing is kept of a definition that is not in the cache any more.
    cache.addView(first, 'view 3', 'late', held('ada'))
    expect(cache.findView(first, 'view 3')).toBeUndefined()
  })

  it('keeps a view as long as the one that it shares parts with', () => {
    const cache = new OntologyCache<string>(40_000)
    const staff = ontology('staff')
    cache.add('staff', staff, held('ada'))
    cache.addView(staff, 'template', 'of anyone', held('bob', 15_000))
    cache.addView(staff, 'own', 'of cleo', { ...held('cleo', 1000), sharesWith: 'template' })
    expect(cache.findView(staff, 'own')).toBe('of cleo')
    // Bob holds the most.
    cache.addView(staff, 'other', 'of dora', held('dora', 14_000))
    cache.addView(staff, 'late', 'of cleo', { ...held('cleo', 1000), sharesWith: 'template' })
    const views = ['template', 'own', 'other', 'late'].map((id) => cache.findView(staff, id))
    expect(views).toEqual([undefined, undefined, 'of dora', undefined])
    expect(cache.bytes).toBe(25_000)
    cache.delete('staff')
    expect(cache.bytes).toBe(0)
  })

  it('counts what is reserved, and holds nothing larger than itself', () => {
    const cache = new OntologyCache(50_000)
    cache.add('a', ontology('a'), held('ada', 30_000))
    cache.reserve(30_000)
    expect(cache.find('a')).toBeUndefined()
    expect(cache.bytes).toBe(30_000)
    cache.add('b', ontology('b'), held('ada', 60_000))
    expect(cache.find('b')).toBeUndefined()
  })
})

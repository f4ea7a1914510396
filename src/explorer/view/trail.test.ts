import { describe, expect, it } from 'vitest'
import { crumbsOf, readStep, readTrail, searchOf, type TrailStep, writeStep } from './trail.ts'

const STEPS: readonly TrailStep[] = [
  { type: 'country', key: 'US', link: 'airports', list: '' },
  { type: 'airport', key: 'A/B?%', link: 'departures', list: 'w=runwayFeet:gte:9000' },
]

describe('a trail', () => {
  it('survives its own writing, whatever the keys contain', () => {
    for (const step of STEPS) expect(readStep(writeStep(step))).toEqual(step)
    expect(readTrail(['', 'a/b', 'a/b/%', writeStep(STEPS[0] as TrailStep)])).toEqual([STEPS[0]])
  })

  it('leads back to each object and each filtered link', () => {
    expect(
      crumbsOf('aviation', STEPS, 'w=late:eq:true').map(({ path, search }) => path + search),
    ).toEqual([
      '/o/aviation/country/US',
      '/o/aviation/country/US/airports?w=runwayFeet:gte:9000',
      '/o/aviation/airport/A%2FB%3F%25?w=runwayFeet:gte:9000&t=country/US/airports',
      '/o/aviation/airport/A%2FB%3F%25/departures?w=late:eq:true&t=country/US/airports',
    ])
  })

  it('is written behind the list that it leads to', () => {
    expect(searchOf('w=a:eq:1', STEPS.slice(0, 1))).toBe('?w=a:eq:1&t=country/US/airports')
  })
})

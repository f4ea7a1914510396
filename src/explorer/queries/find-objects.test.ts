import { expect, it } from 'vitest'
import type { ShownType } from '../view/type-view.ts'
import { rankFound } from './find-objects.ts'

const type = {} as ShownType
const object = (key: string, title: string) => ({ ...type, key, title })

it('puts the key first, then the title, its beginning, its words, and other texts', () => {
  const found = [
    object('1', 'Elsewhere'),
    object('2', 'Greater London'),
    object('3', 'London City'),
    object('4', 'Lóndon'),
    object('london', 'Nothing'),
  ]
  expect(rankFound(found, 'London').map(({ key, rank }) => [key, rank])).toEqual([
    ['london', 0],
    ['4', 1],
    ['3', 2],
    ['2', 3],
    ['1', 4],
  ])
})

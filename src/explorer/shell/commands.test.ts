import { describe, expect, it } from 'vitest'
import type { OntologyDefinition } from '../api/ontology.ts'
import { commandsOf, commandsOfActions, commandsOfViews, findCommands } from './commands.ts'

const ontology: OntologyDefinition = {
  apiName: 'a/b',
  rid: 'r',
  displayName: 'World',
  objectTypes: [
    {
      apiName: 'city',
      rid: 'c',
      primaryKey: 'id',
      properties: { id: { type: 'integer' }, cityName: { type: 'string' } },
    },
  ],
}
const commands = [
  ...commandsOf(ontology),
  ...commandsOfViews('w', [
    {
      id: 'v1',
      name: 'Large cities',
      address: '/city?w=x:gt:1',
      shared: false,
      owner: 'ada',
      mayChange: true,
      changedAt: '2026-01-01T00:00:00.000Z',
    },
  ]),
  ...commandsOfActions([{ name: 'Show the request', run: () => {} }]),
]
const names = (text: string) => findCommands(commands, text, 9).map(({ name }) => name)

describe('the command palette', () => {
  it('finds types, properties, views and actions', () => {
    expect(names('')).toEqual([
      'City',
      'World',
      'ID',
      'City name',
      'Large cities',
      'Show the request',
    ])
    expect(names('saved')).toEqual(['Large cities'])
    expect(names('request show')).toEqual(['Show the request'])
  })

  it('puts names that start with the text first', () => {
    expect(names('cit')).toEqual(['City', 'City name', 'ID', 'Large cities'])
  })

  it('encodes names in addresses', () => {
    expect(commands[0]?.target).toBe('/o/a%2Fb/city')
  })
})

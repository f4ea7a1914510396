import { describe, expect, it } from 'vitest'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'
import { parseDefinition } from '../../ontology/definition/parse-definition.ts'
import type { Ontology } from '../../ontology/ontology.ts'
import { ruleOf } from '../ruled-objects.ts'
import { namesAsClaims } from './claims.ts'
import type { Policy, Right } from './policy.ts'
import {
  nameOntology,
  type PolicyLists,
  viewId,
  viewOntology,
  viewWithClaims,
} from './view-ontology.ts'

const STRING = { type: 'string' } as const
const LIMITS = { maxDepth: 10, maxTerms: 100, maxTextLength: 1000 }

function ontology(apiName: string) {
  const type = (name: string) => ({
    apiName: name,
    rid: `ri.ontology.main.object-type.${apiName}-${name}`,
    primaryKey: 'id',
    properties: {
      id: { type: 'string' as const },
      owner: { type: 'string' as const },
      phone: { type: 'string' as const },
    },
  })
  return parseDefinition({
    apiName,
    rid: `ri.ontology.main.ontology.${apiName}`,
    objectTypes: [type('person'), type('room')],
  })
}
const STAFF = ontology('staff')
const GUESTS = ontology('guests')

const right = (access: Right['access'], objectType: string, more: Partial<Right> = {}): Right => ({
  ontology: 'staff',
  objectType,
  access,
  ...more,
})
const policy = (...rights: Right[]): Policy => ({ name: 'policy', rights })
const is = (value: string) => ({ type: 'eq', field: 'owner', value })
const compare = (value: string) => ({
  kind: 'compare',
  field: { property: 'owner', structField: undefined },
  operator: 'eq',
  value,
})

const view = (lists: PolicyLists, claims = {}, of = STAFF) =>
  viewOntology(of, lists, { claims, limits: LIMITS })

/** Describes each visible type: whether it can be written, its rows and its visible properties. */
function seen(lists: PolicyLists, claims = {}) {
  const visible = [STAFF, GUESTS].flatMap((one) => view(lists, claims, one).ontology ?? [])
  return Object.fromEntries(
    visible.flatMap(({ apiName, objectTypes }) =>
      [...objectTypes.values()].map((type) => {
        const restriction = ruleOf(type)
        const what = restriction === undefined ? 'write' : { ...restriction, of: undefined }
        return [`${apiName} ${type.apiName}`, what] as const
      }),
    ),
  )
}
const reads = (rows: object = { kind: 'everything' }, shown?: string[]) => ({ rows, shown })

describe('what policies show', () => {
  it.each<[string, PolicyLists, object]>([
    ['nothing without a policy', [[]], {}],
    ['nothing without a right', [[policy()]], {}],
    ['a type to read', [[policy(right('read', 'person'))]], { 'staff person': reads() }],
    ['a type to write', [[policy(right('write', 'room'))]], { 'staff room': 'write' }],
    [
      'all types to read',
      [[policy(right('read', '*'))]],
      { 'staff person': reads(), 'staff room': reads() },
    ],
    [
      'all types to their administrator',
      [[policy(right('administer', '*'))]],
      { 'staff person': 'write', 'staff room': 'write' },
    ],
    [
      'an ontology that is named by its RID',
      [[policy(right('write', 'room', { ontology: GUESTS.rid }))]],
      { 'guests room': 'write' },
    ],
    [
      'the type that is named, and the others',
      [[policy(right('write', '*'), right('read', 'person'))]],
      { 'staff person': reads(), 'staff room': 'write' },
    ],
    [
      'the rows of a rule',
      [[policy(right('read', 'person', { where: is('ada') }))]],
      { 'staff person': reads(compare('ada')) },
    ],
    [
      'all but the hidden properties',
      [[policy(right('read', 'person', { hide: ['phone'] }))]],
      { 'staff person': reads(undefined, ['id', 'owner']) },
    ],
    [
      'the rows of each of several rights',
      [
        [
          policy(right('read', 'person', { where: is('ada') })),
          policy(right('read', 'person', { where: is('bob'), hide: ['phone'] })),
        ],
      ],
      {
        'staff person': reads({ kind: 'or', of: [compare('ada'), compare('bob')] }, [
          'id',
          'owner',
        ]),
      },
    ],
    [
      'all rows, without the hidden properties, if only one right has a rule',
      [
        [
          policy(
            right('read', 'person', { where: is('ada') }),
            right('read', 'person', { hide: ['phone'] }),
          ),
        ],
      ],
      { 'staff person': reads(undefined, ['id', 'owner']) },
    ],
    [
      'everything that one of several rights shows',
      [[policy(right('read', 'person', { hide: ['phone'] })), policy(right('read', 'person'))]],
      { 'staff person': reads() },
    ],
    [
      'a type to write if one of several rights allows it',
      [[policy(right('read', 'person')), policy(right('write', 'person'))]],
      { 'staff person': 'write' },
    ],
    [
      'what both credentials allow',
      [[policy(right('write', '*'))], [policy(right('read', 'room'), right('write', 'person'))]],
      { 'staff person': 'write', 'staff room': reads() },
    ],
    [
      'the rows that both credentials allow',
      [
        [policy(right('read', 'person', { where: is('ada'), hide: ['phone'] }))],
        [policy(right('read', 'person', { where: is('bob'), hide: ['owner'] }))],
      ],
      {
        'staff person': reads({ kind: 'and', of: [compare('ada'), compare('bob')] }, ['id']),
      },
    ],
    [
      'the rows of the credential with a rule',
      [[policy(right('read', 'person', { where: is('ada') }))], [policy(right('write', 'person'))]],
      { 'staff person': reads(compare('ada')) },
    ],
    [
      'nothing if two credentials allow different types',
      [[policy(right('write', 'person'))], [policy(right('write', 'room'))]],
      {},
    ],
    ['nothing if one credential allows nothing', [[policy(right('write', '*'))], []], {}],
    ['nothing if a right names no type', [[policy(right('read', '*'), right('read', 'none'))]], {}],
    [
      'nothing if a right hides the key',
      [[policy(right('read', '*'), right('read', 'room', { hide: ['id'] }))]],
      {},
    ],
  ])('is %s', (_, lists, expected) => {
    expect(seen(lists)).toEqual(expected)
  })

  it('has the claims of the caller', () => {
    const own = [[policy(right('read', 'person', { where: is('$caller.name') }))]]
    expect(seen(own, { name: 'ada' })).toEqual({ 'staff person': reads(compare('ada')) })
    expect(seen(own)).toEqual({})
  })

  it('is the ontology itself for a caller who may write all of it', () => {
    const all = view([[policy(right('write', 'person'), right('write', 'room'))]])
    expect(all.ontology).toBe(STAFF)
    expect(all.bytes).toBe(0)
  })

  it('shares with the ontology what rights do not change', () => {
    const rights = [right('read', 'person', { where: is('ada') }), right('read', 'room')]
    const [seenRoom, room] = [view([[policy(...rights)]]).ontology, STAFF].map((one) =>
      one?.objectTypes.get('room'),
    )
    expect(seenRoom).not.toBe(room)
    expect(seenRoom?.properties).toBe(room?.properties)
    const hiding = view([[policy(right('read', 'room', { hide: ['phone'] }))]]).ontology
    expect([...(hiding?.objectTypes.get('room')?.properties.keys() ?? [])]).toEqual(['id', 'owner'])
  })

  it('needs a policy of every credential that names the ontology', () => {
    const staff = policy(right('read', 'person'))
    const guests = policy(right('read', 'person', { ontology: 'guests' }))
    expect(nameOntology([[staff, guests]], STAFF)).toBe(true)
    expect(nameOntology([[staff], [guests]], STAFF)).toBe(false)
    expect(nameOntology([[guests]], STAFF)).toBe(false)
  })

  it('is administered only if every credential allows it', () => {
    const administer = [policy(right('administer', '*'))]
    const write = [policy(right('write', '*'))]
    const isAdministered = (lists: PolicyLists) => view(lists).canAdminister
    expect(isAdministered([administer])).toBe(true)
    expect(isAdministered([administer, administer])).toBe(true)
    expect(isAdministered([administer, write])).toBe(false)
    expect(isAdministered([[...administer, ...write]])).toBe(true)
    expect(isAdministered([write])).toBe(false)
  })
})

describe('a view that shares all but the rules with claims', () => {
  const person = {
    apiName: 'person',
    rid: 'ri.ontology.main.object-type.person',
    primaryKey: 'id',
    properties: { id: STRING, owner: STRING, phone: STRING, room: STRING },
    implements: { owned: {} },
  }
  const room = {
    apiName: 'room',
    rid: 'ri.ontology.main.object-type.room',
    primaryKey: 'id',
    properties: { id: STRING, owner: STRING },
    implements: { owned: {} },
  }
  const office = parseDefinition({
    apiName: 'staff',
    rid: 'ri.ontology.main.ontology.office',
    objectTypes: [person, room, { ...room, apiName: 'hall', rid: `${room.rid}2`, implements: {} }],
    linkTypes: [
      { apiName: 'room', from: 'person', to: 'room', foreignKey: 'room', reverseApiName: 'people' },
    ],
    sharedPropertyTypes: { owner: STRING },
    interfaceTypes: [{ apiName: 'owned', properties: ['owner'] }],
  } as OntologyDefinition)
  const own = right('read', 'person', { where: is('$caller.name') })
  const mailed = right('read', 'person', { where: is('$caller.email'), hide: ['phone'] })

  it.each<[string, PolicyLists]>([
    ['the only rule', [[policy(own)]]],
    ['a rule besides all types', [[policy(own, right('read', '*'))]]],
    ['a rule besides a type to write', [[policy(own, right('write', 'room'))]]],
    ['a rule that hides a property', [[policy(mailed, right('read', '*'))]]],
    ['two rules of a type', [[policy(own, mailed), policy(right('read', 'room'))]]],
    ['a rule beside one that shows everything', [[policy(own), policy(right('write', '*'))]]],
    ['rules of two credentials', [[policy(own)], [policy(mailed, right('read', '*'))]]],
    ['a credential that allows less', [[policy(own)], [policy(right('read', 'room'))]]],
    ['a rule that does not fit', [[policy(own, right('read', 'person', { hide: ['size'] }))]]],
  ])('is the same as one that shares nothing: %s', (_, lists) => {
    const names = namesAsClaims(['name', 'email'])
    const template = viewOntology(office, lists, { claims: names, limits: LIMITS })
    for (const claims of [{ name: 'ada', email: 'a@b' }, { name: 'bob' }, {}]) {
      const context = { claims, limits: LIMITS }
      const whole = viewOntology(office, lists, context)
      const shared = viewWithClaims(template, office, lists, context) ?? whole
      expect(shared.canAdminister).toBe(whole.canAdminister)
      expect(contents(shared.ontology)).toEqual(contents(whole.ontology))
      const [first] = shared.ontology?.linkSides ?? []
      const linked = shared.ontology?.objectTypes.get('person')
      if (first !== undefined) expect(first.objectType).toBe(linked)
    }
  })

  /** Everything in an ontology, with maps as lists. */
  const contents = (view: Ontology | undefined): unknown =>
    view && {
      ...view,
      objectTypes: [...view.objectTypes],
      types: [...view.objectTypes.keys(), ...view.objectTypes.values()],
      size: view.objectTypes.size,
      interfaceTypes: [...view.interfaceTypes].map(([name, one]) => [
        name,
        { ...one, implementations: [...one.implementations] },
      ]),
      actionTypes: [...view.actionTypes],
    }
})

describe('the identity of a view', () => {
  const idOf = (lists: PolicyLists, claims = {}) => view(lists, claims).ontology?.viewId
  const person = (more: Partial<Right> = {}) => [[policy(right('read', 'person', more))]]
  const own = person({ where: is('$caller.name') })

  it('changes with each right, and with the claims that rules use', () => {
    const lists = [person(), person({ hide: ['phone'] }), person({ where: is('ada') })]
    const ids = [...lists.map((one) => idOf(one)), idOf(own, { name: 'bob' })]
    expect(ids.every((id) => id?.length === 22)).toBe(true)
    expect(new Set(ids).size).toBe(4)
    expect(idOf(own, { name: 'ada' })).toBe(idOf(person({ where: is('ada') })))
  })

  it('does not change with rights in other ontologies, nor with unused claims', () => {
    const other = right('write', 'room', { ontology: 'guests' })
    expect(idOf([[policy(right('read', 'person'), other)]])).toBe(idOf(person()))
    expect(idOf(person(), { name: 'ada' })).toBe(idOf(person()))
  })

  it('is shared by callers with the same rights', () => {
    const ids = [
      viewId(own, STAFF, { name: 'ada' }),
      viewId(own, STAFF, { name: 'bob' }),
      viewId(own, STAFF, {}),
      viewId([...own, ...own], STAFF, { name: 'ada' }),
      viewId(person(), STAFF, {}),
    ]
    expect(new Set(ids).size).toBe(5)
    expect(viewId(own, STAFF, { name: 'ada', email: 'x' })).toBe(ids[0])
    // A rule with a missing claim is not the same as no rule.
    expect(viewId(own, STAFF, {})).not.toBe(viewId(person(), STAFF, {}))
  })
})

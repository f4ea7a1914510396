/**
 * What a view asks for that its type does not have. An address may name properties that were renamed
 * or removed since, or be written by hand.
 */
import { findType, linksOf, wordsOf } from '../api/ontology.ts'
import { fieldAt, nameOfField, type ShownType } from './field-at.ts'
import { alternativesOf, type Condition, filterOf } from './filters.ts'
import { describeFilter } from './operators.ts'
import { isKnownFilter, isKnownOrder, placeProperty } from './type-view.ts'
import type { ViewState } from './view-state.ts'

/** A part of a view, and the changes that repair it. */
export interface LostPart<Change = Partial<ViewState>> {
  /** As people read it: `Credit limit > 5`. */
  readonly name: string
  readonly reason: string
  /** True if the view would show other objects without it. */
  readonly selects: boolean
  readonly without: Change | undefined
  /** The property as it is called now, if the definition has recorded that. */
  readonly renamed: Renamed<Change> | undefined
}

export interface Renamed<Change = Partial<ViewState>> {
  readonly name: string
  readonly change: Change
}

export const NO_PROPERTY = 'there is no such property'

/** Returns the parts of a view that its type cannot answer. */
export function lostParts(view: ViewState, of: ShownType): readonly LostPart[] {
  return [
    ...lostFilters(view, of),
    ...lostOrders(view, of),
    ...lostColumns(view, of),
    ...lostColour(view, of),
  ]
}

/** Returns those without which the view would show other objects: nothing is asked for meanwhile. */
export function lostFilters(view: ViewState, of: ShownType): readonly LostPart[] {
  const { filters, box, unread } = view
  const unknown = filters.flatMap((filter, index): LostPart[] => {
    if (isKnownFilter(of, filter)) return []
    const alternatives = alternativesOf(filter)
    const now = filterOf(alternatives.map((each) => currentCondition(of, each)))
    const lost = alternatives.find(({ field }) => fieldAt(of, field) === undefined)?.field ?? ''
    const change = { filters: now === undefined ? filters : filters.with(index, now) }
    return [
      {
        name: describeFilter(filter, of),
        reason: NO_PROPERTY,
        selects: true,
        without: { filters: filters.toSpliced(index, 1) },
        renamed: now && isKnownFilter(of, now) ? renamedTo(of, lost, () => change) : undefined,
      },
    ]
  })
  const unreadable = unread.map(([name, text], index): LostPart => {
    const without = { unread: unread.toSpliced(index, 1) }
    const reason = name === 'w' ? 'this is no filter' : 'this is no box on a map'
    return { name: `${name}=${text}`, reason, selects: true, without, renamed: undefined }
  })
  const boxes: readonly LostPart[] =
    box === undefined || placeProperty(of.objectType) !== undefined
      ? []
      : [
          {
            name: 'The box on the map',
            reason: 'there are no positions',
            selects: true,
            without: { box: undefined },
            renamed: undefined,
          },
        ]
  return [...unknown, ...unreadable, ...boxes]
}

function currentCondition(of: ShownType, condition: Condition): Condition {
  return { ...condition, field: currentPath(of, condition.field) ?? condition.field }
}

function lostOrders({ order }: ViewState, of: ShownType): readonly LostPart[] {
  return order.flatMap((term, index): LostPart[] => {
    const { property } = term
    if (isKnownOrder(of, property)) return []
    const change = (now: string) => ({ order: order.with(index, { ...term, property: now }) })
    return [
      {
        name: `Order by ${nameOfField(of, property)}`,
        reason: NO_PROPERTY,
        selects: false,
        without: { order: order.toSpliced(index, 1) },
        renamed: renamedTo(of, property, change),
      },
    ]
  })
}

function lostColumns({ columns = [] }: ViewState, of: ShownType): readonly LostPart[] {
  return columns.flatMap((name, index): LostPart[] => {
    if (Object.hasOwn(of.objectType.properties, name)) return []
    const change = (now: string) => ({ columns: [...new Set(columns.with(index, now))] })
    return [
      {
        name: `Column ${wordsOf(name)}`,
        reason: NO_PROPERTY,
        selects: false,
        without: { columns: columns.toSpliced(index, 1) },
        renamed: renamedTo(of, name, change),
      },
    ]
  })
}

function lostColour({ colour, layout }: ViewState, of: ShownType): readonly LostPart[] {
  if (colour === undefined || layout !== 'map' || fieldAt(of, colour) !== undefined) return []
  return [
    {
      name: `Colour by ${nameOfField(of, colour)}`,
      reason: NO_PROPERTY,
      selects: false,
      without: { colour: undefined },
      renamed: renamedTo(of, colour, (now) => ({ colour: now })),
    },
  ]
}

/** Returns what a lost path is called now, and the change that names it so. */
export function renamedTo<Change>(
  of: ShownType,
  path: string,
  change: (now: string) => Change,
): Renamed<Change> | undefined {
  const now = currentPath(of, path)
  return now === undefined ? undefined : { name: nameOfField(of, now), change: change(now) }
}

/** Returns a path with the names of now, as far as the definition has recorded them. */
export function currentPath(of: ShownType, path: string): string | undefined {
  const [name = '', ...rest] = path.split('/')
  const { ontology, objectType } = of
  const property = currentName(objectType.properties, name)
  if (property !== undefined) {
    const definition = objectType.properties[property]
    const element = definition?.type === 'array' ? definition.items : definition
    const fields = element?.type === 'struct' ? element.fields : {}
    const inner = rest.map((field) => currentName(fields, field) ?? field)
    const now = [property, ...inner].join('/')
    return fieldAt(of, now) === undefined ? undefined : now
  }
  const links = linksOf(ontology, objectType.apiName)
  const link =
    links.find(({ apiName }) => apiName === name) ??
    links.find(({ apiName }) => ontology.linkTypes?.some(isRenamedTo(apiName, name)))
  const target = link && findType(ontology, link.target)
  if (link === undefined || target === undefined) return undefined
  if (rest.length === 0) return link.apiName
  const inner = currentPath({ ontology, objectType: target }, rest.join('/'))
  return inner && `${link.apiName}/${inner}`
}

/** Returns the predicate of a link type with a name, and an earlier one. */
export const isRenamedTo =
  (now: string, before: string) =>
  ({ apiName, renamedFrom }: { readonly apiName: string; readonly renamedFrom?: string }) =>
    apiName === now && renamedFrom === before

interface Renamable {
  readonly renamedFrom?: string
}

function currentName(
  definitions: Readonly<Record<string, Renamable>>,
  name: string,
): string | undefined {
  if (Object.hasOwn(definitions, name)) return name
  return Object.keys(definitions).find((each) => definitions[each]?.renamedFrom === name)
}

/**
 * The reference model of object sets: evaluates them, in the form that clients send, over arrays of
 * objects. It shares no code with the service.
 */

export type SetJson = Readonly<Record<string, unknown>> & { readonly type: string }

export interface ModelObject {
  readonly type: 'office' | 'person'
  readonly rid: string
  readonly properties: Readonly<Record<string, unknown>>
}

interface ModelLink {
  readonly name: string
  readonly from: ModelObject['type']
  readonly to: ModelObject['type']
  readonly property: string
  readonly linkedProperty: string
}

/** Both sides of the two link types of the test. */
export const MODEL_LINKS: readonly ModelLink[] = [
  { name: 'office', from: 'person', to: 'office', property: 'officeCode', linkedProperty: 'code' },
  { name: 'people', from: 'office', to: 'person', property: 'code', linkedProperty: 'officeCode' },
  { name: 'manager', from: 'person', to: 'person', property: 'managerId', linkedProperty: 'id' },
  { name: 'reports', from: 'person', to: 'person', property: 'id', linkedProperty: 'managerId' },
]

/** Returns the objects of a set. */
export function evaluateSet(set: SetJson, all: readonly ModelObject[]): ReadonlySet<ModelObject> {
  const inner = () => evaluateSet(set['objectSet'] as SetJson, all)
  const sets = () => (set['objectSets'] as SetJson[]).map((one) => evaluateSet(one, all))
  switch (set.type) {
    case 'base':
      return new Set(all.filter(({ type }) => type === set['objectType']))
    case 'static':
      return new Set(all.filter(({ rid }) => (set['objects'] as string[]).includes(rid)))
    case 'filter':
      return new Set([...inner()].filter((object) => holds(set['where'] as SetJson, object)))
    case 'union':
      return new Set(sets().flatMap((one) => [...one]))
    case 'intersect':
      return new Set(all.filter((object) => sets().every((one) => one.has(object))))
    case 'subtract': {
      const [first = new Set<ModelObject>(), ...others] = sets()
      return new Set([...first].filter((object) => !others.some((one) => one.has(object))))
    }
    case 'searchAround':
      return new Set([...inner()].flatMap((object) => linkedWith(object, set['link'], all)))
    case 'asType':
      return new Set([...inner()].filter(({ type }) => type === set['entityType']))
    case 'asBaseObjectTypes':
      return inner()
    default:
      throw new Error(`the model does not know ${set.type}`)
  }
}

function linkedWith(
  { type, properties }: ModelObject,
  name: unknown,
  all: readonly ModelObject[],
): ModelObject[] {
  const link = MODEL_LINKS.find((one) => one.name === name && one.from === type)
  const value = link && properties[link.property]
  if (link === undefined || value === undefined) return []
  return all.filter(
    (other) => other.type === link.to && other.properties[link.linkedProperty] === value,
  )
}

function holds(where: SetJson, object: ModelObject): boolean {
  const value = object.properties[String(where['field'])] as number | undefined
  const operand = where['value']
  switch (where.type) {
    case 'and':
      return (operand as SetJson[]).every((one) => holds(one, object))
    case 'or':
      return (operand as SetJson[]).some((one) => holds(one, object))
    case 'not':
      return !holds(operand as SetJson, object)
    case 'isNull':
      return (value === undefined) === operand
    case 'eq':
      return value !== undefined && value === operand
    case 'lt':
      return value !== undefined && value < Number(operand)
    case 'lte':
      return value !== undefined && value <= Number(operand)
    default:
      throw new Error(`the model does not know ${where.type}`)
  }
}

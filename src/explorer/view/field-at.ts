/** What a path in a filter leads to: a property, a field of a struct, or linked objects. */
import {
  findType,
  type LinkSide,
  linksOf,
  nameOfProperty,
  type ObjectTypeDefinition,
  type OntologyDefinition,
  type PropertyType,
  type ScalarType,
  wordsOf,
} from '../api/ontology.ts'

/** An object type, with the ontology that defines it. */
export interface ShownType {
  readonly ontology: OntologyDefinition
  readonly objectType: ObjectTypeDefinition
}

export interface FieldAt {
  /** The links that lead to the type of the property. */
  readonly links: readonly LinkSide[]
  readonly objectType: ObjectTypeDefinition
  /** The path within that type; undefined if the path ends with a link. */
  readonly path: string | undefined
  /** The type of the value; undefined if the path ends with a link. */
  readonly type: PropertyType | undefined
}

/** Returns what a path leads to; undefined if there is no such property or link. */
export function fieldAt({ ontology, objectType }: ShownType, path: string): FieldAt | undefined {
  const type = propertyAt(objectType, path)
  if (type !== undefined) return { links: [], objectType, path, type }
  const [name = '', ...rest] = path.split('/')
  const link = linksOf(ontology, objectType.apiName).find(({ apiName }) => apiName === name)
  const target = link && findType(ontology, link.target)
  if (link === undefined || target === undefined) return undefined
  if (rest.length === 0) {
    return { links: [link], objectType: target, path: undefined, type: undefined }
  }
  const inner = fieldAt({ ontology, objectType: target }, rest.join('/'))
  return inner && { ...inner, links: [link, ...inner.links] }
}

function propertyAt({ properties }: ObjectTypeDefinition, path: string): PropertyType | undefined {
  const [name = '', structField] = path.split('/')
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined
  if (property === undefined || structField === undefined) return property
  const element = property.type === 'array' ? property.items : property
  if (element.type !== 'struct') return undefined
  const { fields } = element
  const isField = path.split('/').length === 2 && Object.hasOwn(fields, structField)
  return isField ? fields[structField] : undefined
}

/** Returns the type of single values at a path; undefined if the path is unknown. */
export function scalarOf(type: ObjectTypeDefinition, path: string): ScalarType | undefined {
  return scalarIn(propertyAt(type, path))
}

export function scalarIn(type: PropertyType | undefined): ScalarType | undefined {
  const element = type?.type === 'array' ? type.items : type
  if (element === undefined || element.type === 'array') return undefined
  return element.type === 'struct' ? undefined : element.type
}

/** Writes a path as people read it: `originAirport/state` becomes "Origin airport › State". */
export function nameOfField(of: ShownType, path: string): string {
  const { links = [], objectType = of.objectType, path: own } = fieldAt(of, path) ?? { path }
  const [name = '', structField] = own?.split('/') ?? []
  const parts = own === undefined ? [] : [nameOfProperty(name, objectType.properties[name])]
  const steps = [...links.map(({ apiName }) => wordsOf(apiName)), ...parts]
  return [...steps, ...(structField === undefined ? [] : [wordsOf(structField)])].join(' › ')
}

/**
 * The part of a definition that a caller may see. What refers to a hidden part is hidden as well, so
 * the result is a valid definition that mentions nothing hidden.
 */
import type { InterfaceImplementation, InterfaceType, LinkType, Ontology } from '../ontology.ts'
import type { ObjectTypeDefinition, OntologyDefinition } from './definition-schema.ts'

type Implementation = NonNullable<ObjectTypeDefinition['implements']>[string]

/** Returns the hidden properties of an object type; undefined if the whole type is hidden. */
export type HiddenProperties = (objectType: string) => ReadonlySet<string> | undefined

export function visibleDefinition(
  ontology: Ontology,
  hiddenOf: HiddenProperties,
): OntologyDefinition {
  const { definition } = ontology
  const { linkTypes, interfaceTypes, sharedPropertyTypes } = definition
  const isVisibleLink = ({ from, to, foreignKey }: LinkType) =>
    hiddenOf(to) !== undefined && hiddenOf(from)?.has(foreignKey) === false
  const views = new VisibleInterfaces(ontology, hiddenOf, isVisibleLink)
  const properties = new Set(views.all.flatMap(({ allProperties }) => [...allProperties.keys()]))
  const objectTypes = definition.objectTypes.flatMap((type) => {
    const hidden = hiddenOf(type.apiName)
    return hidden === undefined ? [] : [visibleType(type, hidden, views)]
  })
  return {
    ...definition,
    objectTypes,
    ...(definition.valueTypes && {
      valueTypes: usedValueTypes(definition.valueTypes, objectTypes),
    }),
    ...(linkTypes && {
      linkTypes: linkTypes.filter((link) => isVisibleLink({ reverseApiName: undefined, ...link })),
    }),
    ...(interfaceTypes && {
      interfaceTypes: interfaceTypes
        .filter(({ apiName }) => views.has(apiName))
        .map(({ links, ...view }) => ({
          ...view,
          ...(links && {
            links: links.filter(({ apiName }) => views.hasLink(view.apiName, apiName)),
          }),
        })),
    }),
    ...(sharedPropertyTypes && {
      sharedPropertyTypes: entriesOf(sharedPropertyTypes, (name) => properties.has(name)),
    }),
  }
}

type ValueTypes = NonNullable<OntologyDefinition['valueTypes']>

/** Returns the value types that properties name, directly or in a struct. */
function usedValueTypes(all: ValueTypes, objectTypes: readonly ObjectTypeDefinition[]): ValueTypes {
  const byName = new Map(all.map((type) => [type.apiName, type]))
  const used = new Set<string>()
  const add = (name: string) => {
    if (used.has(name)) return
    used.add(name)
    addFields(byName.get(name)?.constraints ?? [])
  }
  const addFields = (constraints: NonNullable<ValueTypes[number]['constraints']>) => {
    for (const { properties = {}, valueConstraint } of constraints) {
      for (const name of Object.values({ ...properties, ...valueConstraint?.properties })) add(name)
    }
  }
  for (const { properties } of objectTypes) {
    for (const { valueType, constraints = [] } of Object.values(properties)) {
      if (valueType !== undefined) add(valueType)
      addFields(constraints)
    }
  }
  return all.filter(({ apiName }) => used.has(apiName))
}

function visibleType(
  whole: ObjectTypeDefinition,
  hidden: ReadonlySet<string>,
  views: VisibleInterfaces,
): ObjectTypeDefinition {
  // Before the copy: most types of a large definition are shown as they are.
  if (hidden.size === 0 && whole.implements === undefined) return whole
  const { titleProperty, implements: implemented, ...type } = whole
  const implementations = Object.keys(implemented ?? {})
    .filter((view) => views.isImplementedBy(type.apiName, view))
    .map((view) => [view, views.namesOf(type.apiName, view)] as const)
  return {
    ...type,
    properties:
      hidden.size === 0 ? type.properties : entriesOf(type.properties, (name) => !hidden.has(name)),
    ...(titleProperty !== undefined && !hidden.has(titleProperty) && { titleProperty }),
    ...(implemented && { implements: Object.fromEntries(implementations) }),
  }
}

function entriesOf<Value>(
  record: Readonly<Record<string, Value>>,
  isKept: (name: string) => boolean,
): Record<string, Value> {
  return Object.fromEntries(Object.entries(record).filter(([name]) => isKept(name)))
}

/**
 * The interfaces that visible object types implement with visible properties and links. Each of these
 * conditions depends on the others, so implementations are removed until all that are left hold.
 */
class VisibleInterfaces {
  readonly #ontology: Ontology
  readonly #isVisibleLink: (link: LinkType) => boolean
  /** By object type: the interfaces that its definition names. */
  readonly #implemented: ReadonlyMap<string, Set<string>>

  constructor(
    ontology: Ontology,
    hiddenOf: HiddenProperties,
    isVisibleLink: (link: LinkType) => boolean,
  ) {
    this.#ontology = ontology
    this.#isVisibleLink = isVisibleLink
    const { interfaceTypes, definition } = ontology
    const objectTypes = interfaceTypes.size === 0 ? [] : definition.objectTypes
    this.#implemented = new Map(
      objectTypes.flatMap(({ apiName, implements: named = {} }) => {
        const hidden = hiddenOf(apiName)
        if (hidden === undefined) return []
        const isShown = (view: string) =>
          ![...(this.#find(apiName, view)?.properties.values() ?? [])].some((one) =>
            hidden.has(one),
          )
        return [[apiName, new Set(Object.keys(named).filter(isShown))] as const]
      }),
    )
    while (this.#removeBroken());
  }

  get all(): InterfaceType[] {
    return [...this.#ontology.interfaceTypes.values()].filter(({ apiName }) => this.has(apiName))
  }

  has(view: string): boolean {
    return [...this.#implemented.keys()].some((type) => this.#implements(type, view))
  }

  /** True if the definition of an object type may name an interface. */
  isImplementedBy(objectType: string, view: string): boolean {
    return this.#implemented.get(objectType)?.has(view) ?? false
  }

  /**
   * Returns the names with which an object type implements an interface. The definition may give them
   * under another interface of the type, which can be hidden, so all of them are written out.
   */
  namesOf(objectType: string, view: string): Implementation {
    const { properties = [], links = [] } = this.#find(objectType, view) ?? {}
    return {
      properties: Object.fromEntries(properties),
      links: entriesOf(Object.fromEntries(links), (link) => this.hasLink(view, link)),
    }
  }

  /** True if a link of an interface leads to something visible. */
  hasLink(view: string, link: string): boolean {
    const target = this.#ontology.interfaceTypes.get(view)?.allLinks.get(link)?.target
    if (target === undefined) return false
    return target.kind === 'objectType'
      ? this.#implemented.has(target.apiName)
      : this.has(target.apiName)
  }

  /** True if a type implements an interface, or one that extends it. */
  #implements(objectType: string, view: string): boolean {
    const named = [...(this.#implemented.get(objectType) ?? [])]
    return named.some(
      (one) =>
        one === view ||
        this.#ontology.interfaceTypes.get(one)?.allExtendsInterfaces.includes(view) === true,
    )
  }

  #find(objectType: string, view: string): InterfaceImplementation | undefined {
    return this.#ontology.interfaceTypes.get(view)?.implementations.get(objectType)
  }

  #removeBroken(): boolean {
    let isChanged = false
    for (const [type, views] of this.#implemented) {
      for (const view of views) {
        if (this.#hasVisibleLinks(type, view)) continue
        views.delete(view)
        isChanged = true
      }
    }
    return isChanged
  }

  #hasVisibleLinks(objectType: string, view: string): boolean {
    const links = [...(this.#find(objectType, view)?.links ?? [])]
    return links.every(([link, own]) => {
      if (!this.hasLink(view, link)) return true
      const end = this.#linkEnd(objectType, own)
      const target = this.#ontology.interfaceTypes.get(view)?.allLinks.get(link)?.target
      if (end === undefined || target === undefined) return false
      return target.kind === 'objectType' || this.#implements(end, target.apiName)
    })
  }

  /** Returns the object type that a visible link leads to. */
  #linkEnd(objectType: string, link: string): string | undefined {
    const visible = this.#ontology.linkTypes.filter(this.#isVisibleLink)
    const found = visible.find(
      ({ from, to, apiName, reverseApiName }) =>
        (from === objectType && apiName === link) || (to === objectType && reverseApiName === link),
    )
    return found && (found.from === objectType && found.apiName === link ? found.to : found.from)
  }
}

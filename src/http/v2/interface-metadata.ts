/** Interfaces and shared property types as the metadata of v2 describes them. */

import { Type } from 'typebox'
import { flag, namedObject, text, texts } from '../../contract/schema-parts.ts'
import type {
  InterfaceImplementation,
  InterfaceLink,
  InterfaceProperty,
  InterfaceType,
  ObjectType,
  Ontology,
  SharedPropertyType,
} from '../../ontology/ontology.ts'
import { DataType, dataType } from './data-type.ts'

const named = {
  rid: Type.String(),
  apiName: Type.String(),
  displayName: Type.String(),
  description: Type.Optional(Type.String()),
}

const SharedProperty = namedObject('SharedPropertyType', {
  ...named,
  dataType: DataType,
  required: flag('Whether every implementing object type has it.'),
  typeClasses: Type.Array(Type.Unknown()),
})

const PropertyV2 = namedObject('InterfacePropertyType', {
  ...named,
  type: Type.Optional(Type.Enum(['interfaceSharedPropertyType'])),
  dataType: DataType,
  required: Type.Optional(Type.Boolean()),
  requireImplementation: Type.Optional(Type.Boolean()),
  typeClasses: Type.Array(Type.Unknown()),
})

export const InterfaceLinkResponse = namedObject('InterfaceLinkType', {
  ...named,
  linkedEntityApiName: namedObject('LinkedEntityName', {
    type: Type.Enum(['objectTypeApiName', 'interfaceTypeApiName']),
    apiName: Type.String(),
  }),
  cardinality: Type.Enum(['ONE', 'MANY']),
  required: flag('Whether every implementing object type has it.'),
})

const byName = { description: 'By API name.' }

export const InterfaceTypeResponse = namedObject('InterfaceType', {
  ...named,
  properties: Type.Record(Type.String(), SharedProperty, byName),
  allProperties: Type.Record(Type.String(), SharedProperty, {
    description: 'By API name, including those of the interfaces that it extends.',
  }),
  propertiesV2: Type.Record(Type.String(), PropertyV2, byName),
  allPropertiesV2: Type.Record(Type.String(), PropertyV2, byName),
  extendsInterfaces: Type.Array(Type.String()),
  allExtendsInterfaces: texts('All interfaces that it extends, directly or not.'),
  implementedByObjectTypes: Type.Array(Type.String()),
  links: Type.Record(Type.String(), InterfaceLinkResponse, byName),
  allLinks: Type.Record(Type.String(), InterfaceLinkResponse, byName),
})

/** The property of the object type for each property of the interface. */
export const LocalImplementations = Type.Record(
  Type.String(),
  namedObject('PropertyImplementation', {
    type: Type.Enum(['localPropertyImplementation']),
    propertyApiName: Type.String(),
  }),
  byName,
)

/** How an object type implements an interface. */
export const ImplementationResponse = namedObject('InterfaceImplementation', {
  apiName: text('The API name of the interface.'),
  rid: Type.String(),
  properties: Type.Record(Type.String(), Type.String(), {
    description: 'The property of the object type for each property of the interface.',
  }),
  propertiesV2: LocalImplementations,
  links: Type.Record(Type.String(), Type.Array(Type.String()), {
    description: 'The links of the object type for each link of the interface.',
  }),
  actionTypes: Type.Record(Type.String(), Type.String(), {
    description: 'Empty: interfaces declare no actions.',
  }),
})

/** Texts of a definition that the parsed ontology does not hold. */
interface Texts {
  readonly displayName?: string | undefined
  readonly description?: string | undefined
}

/** Returns a function that describes the interface types of an ontology. */
export function interfaceTypeDescriber(ontology: Ontology) {
  const describeProperty = propertyDescriber(ontology)
  const describeLink = interfaceLinkDescriber(ontology)
  const { interfaceTypes = [] } = ontology.definition
  const texts = new Map<string, Texts>(interfaceTypes.map((type) => [type.apiName, type]))
  return (type: InterfaceType) => ({
    rid: type.rid,
    ...textsOf(type.apiName, texts.get(type.apiName)),
    properties: mapped(type.properties, describeProperty),
    allProperties: mapped(type.allProperties, describeProperty),
    propertiesV2: mapped(type.properties, (property) => ({
      type: 'interfaceSharedPropertyType',
      ...describeProperty(property),
    })),
    allPropertiesV2: mapped(type.allProperties, (property) => {
      const { required, ...described } = describeProperty(property)
      return { ...described, requireImplementation: required }
    }),
    extendsInterfaces: type.extendsInterfaces,
    allExtendsInterfaces: type.allExtendsInterfaces,
    implementedByObjectTypes: [...type.implementations.keys()],
    links: mapped(type.links, describeLink),
    allLinks: mapped(type.allLinks, describeLink),
  })
}

/** Returns a function that describes the links of the interface types of an ontology. */
export function interfaceLinkDescriber({ definition, interfaceTypes }: Ontology) {
  const texts = new Map<string, Texts>()
  for (const { apiName, links = [] } of definition.interfaceTypes ?? []) {
    for (const link of links) {
      const rid = interfaceTypes.get(apiName)?.links.get(link.apiName)?.rid
      if (rid !== undefined) texts.set(rid, link)
    }
  }
  return ({ rid, apiName, target, cardinality, required }: InterfaceLink) => ({
    rid,
    ...textsOf(apiName, texts.get(rid)),
    linkedEntityApiName: {
      type: target.kind === 'objectType' ? 'objectTypeApiName' : 'interfaceTypeApiName',
      apiName: target.apiName,
    },
    cardinality,
    required,
  })
}

/** Describes the shared property types of an ontology, by name. */
export function describeSharedPropertyTypes(ontology: Ontology) {
  return mapped(ontology.sharedPropertyTypes, sharedPropertyDescriber(ontology))
}

/** Returns a function that describes which interfaces an object type implements, and how. */
export function implementationsDescriber({ interfaceTypes }: Ontology) {
  const byType = new Map<string, [InterfaceType, InterfaceImplementation][]>()
  for (const interfaceType of interfaceTypes.values()) {
    for (const [name, implementation] of interfaceType.implementations) {
      const found = byType.get(name) ?? []
      found.push([interfaceType, implementation])
      byType.set(name, found)
    }
  }
  return ({ apiName: objectType }: ObjectType) => {
    const implemented = (byType.get(objectType) ?? []).sort(([a], [b]) =>
      a.apiName < b.apiName ? -1 : 1,
    )
    return {
      implementsInterfaces: implemented.map(([{ apiName }]) => apiName),
      implementsInterfaces2: Object.fromEntries(
        implemented.map(([{ apiName, rid }, { properties, links }]) => [
          apiName,
          {
            apiName,
            rid,
            properties: Object.fromEntries(properties),
            propertiesV2: localImplementations(properties),
            links: mapped(links, (link) => [link]),
            // Interfaces declare no actions; published clients require the member.
            actionTypes: {},
          },
        ]),
      ),
      sharedPropertyTypeMapping: Object.fromEntries(
        implemented.flatMap(([, { properties }]) => [...properties]),
      ),
    }
  }
}

/** Describes that each property of an interface is a property of the object type. */
export function localImplementations(properties: ReadonlyMap<string, string>) {
  return mapped(properties, (propertyApiName) => ({
    type: 'localPropertyImplementation',
    propertyApiName,
  }))
}

function propertyDescriber(ontology: Ontology) {
  const describe = sharedPropertyDescriber(ontology)
  return (property: InterfaceProperty) => ({ ...describe(property), required: property.required })
}

function sharedPropertyDescriber({ definition }: Ontology) {
  const texts = definition.sharedPropertyTypes ?? {}
  return ({ rid, apiName, type }: SharedPropertyType) => ({
    rid,
    ...textsOf(apiName, texts[apiName]),
    dataType: dataType(type, rid, apiName),
    typeClasses: [],
  })
}

/** Published clients require a display name. */
function textsOf(apiName: string, { displayName = apiName, description }: Texts = {}) {
  return { apiName, displayName, description }
}

function mapped<In, Out>(
  map: ReadonlyMap<string, In>,
  describe: (item: In) => Out,
): Record<string, Out> {
  return Object.fromEntries([...map].map(([name, item]) => [name, describe(item)]))
}

/** The path parameters of the endpoints. */
import { Type } from 'typebox'

const ontology = Type.String({ description: 'RID or API name of the ontology.' })
const apiFamily = Type.String({ description: 'An API family of the ontology.' })
const objectType = Type.String({ description: 'API name of the object type.' })
const interfaceType = Type.String({ description: 'API name of the interface type.' })
const interfaceLinkType = Type.String({
  description: 'API name of the link type of the interface.',
})
const primaryKey = Type.String({ description: 'Primary key of the object, as text.' })
const linkType = Type.String({ description: 'API name of the link type.' })
const linkedObjectPrimaryKey = Type.String({
  description: 'Primary key of the linked object, as text.',
})

/** The name that `startReplacement` returned. */
export const ReplacementName = Type.String({
  pattern: '^[0-9]{1,15}$',
  description: 'The name that `startReplacement` returned.',
})

export const OntologyPath = Type.Object({ ontology })
export const TypePath = Type.Object({ ontology, objectType })
export const LinkTypePath = Type.Object({ ontology, objectType, linkType })
export const ObjectPath = Type.Object({ ontology, objectType, primaryKey })
export const LinkedObjectsPath = Type.Object({ ontology, objectType, primaryKey, linkType })
export const LinkedObjectPath = Type.Object({
  ontology,
  objectType,
  primaryKey,
  linkType,
  linkedObjectPrimaryKey,
})
export const ReplacementPath = Type.Object({ ontology, objectType, replacement: ReplacementName })

export const InterfaceTypePath = Type.Object({ ontology, interfaceType })
export const InterfaceLinkTypePath = Type.Object({ ontology, interfaceType, interfaceLinkType })
export const InterfaceLinkedObjectsPath = Type.Object({
  ontology,
  interfaceType,
  objectType,
  primaryKey,
  interfaceLinkType,
})

export const FamilyTypePath = Type.Object({ apiFamily, objectType })
export const FamilyObjectPath = Type.Object({ apiFamily, primaryKey })
export const FamilyLinkedObjectsPath = Type.Object({ apiFamily, primaryKey, linkType })

/** Parts of the request bodies of v2 as `openapi.json` describes them. */
import { type TSchema, Type } from 'typebox'
import { orNull } from '../schemas/common.ts'
import { memberOf, QUERY_COMPONENTS, unionOf } from './query-schemas.ts'

export const PROPERTY_IDENTIFIER_COMPONENT = 'PropertyIdentifier'

const reference = { $ref: `#/components/schemas/${PROPERTY_IDENTIFIER_COMPONENT}` } as TSchema

const PROPERTY_IDENTIFIER_MEMBERS = {
  Property: memberOf(['property'], { apiName: Type.String() }),
  StructField: memberOf(['structField'], {
    propertyApiName: Type.String(),
    structFieldApiName: Type.String(),
  }),
  LoadLevel: memberOf(['propertyWithLoadLevel'], {
    propertyIdentifier: reference,
    loadLevel: Type.Object({ type: Type.Enum(['noLoadLevel']) }),
  }),
  Special: memberOf(['titleProperty', 'primaryKeyProperty'], {}),
}

export const OBJECT_SET_COMPONENT = 'ObjectSet'

const objectSet = { $ref: `#/components/schemas/${OBJECT_SET_COMPONENT}` } as TSchema
const where = { $ref: `#/components/schemas/${QUERY_COMPONENTS.v2}` } as TSchema

const OBJECT_SET_MEMBERS = {
  Base: memberOf(['base'], { objectType: Type.String() }),
  InterfaceBase: memberOf(['interfaceBase'], {
    interfaceType: Type.String(),
    includeAllBaseObjectProperties: Type.Optional(orNull(Type.Boolean())),
  }),
  Static: memberOf(['static'], {
    objects: Type.Array(Type.String(), { description: 'RIDs of objects.' }),
  }),
  Reference: memberOf(['reference'], {
    reference: Type.String({ description: 'RID of a temporary object set.' }),
  }),
  Filter: memberOf(['filter'], { objectSet, where }),
  Operation: memberOf(['union', 'intersect', 'subtract'], {
    objectSets: Type.Array(objectSet, { minItems: 1 }),
  }),
  SearchAround: memberOf(['searchAround'], {
    objectSet,
    link: Type.String({ description: 'API name of a link type.' }),
  }),
  AsType: memberOf(['asType'], { entityType: Type.String(), objectSet }),
  AsBaseObjectTypes: memberOf(['asBaseObjectTypes'], { objectSet }),
}

/** The components that `openapi.json` refers to. */
export const V2_SCHEMAS: Readonly<Record<string, object>> = {
  ...unionOf(
    PROPERTY_IDENTIFIER_COMPONENT,
    PROPERTY_IDENTIFIER_MEMBERS,
    'Names a property, or in conditions a field of a struct.',
  ),
  ...unionOf(OBJECT_SET_COMPONENT, OBJECT_SET_MEMBERS, 'A set of objects.'),
}

/** Parts of the request bodies of v2 as `openapi.json` describes them. */
import { Type } from 'typebox'
import { OBJECT_RID_PATTERN } from '../../ontology/definition/rid.ts'
import { orNull } from '../schemas/common.ts'
import { memberOf, QUERY_COMPONENTS, unionOf } from './query-schemas.ts'
import { PROPERTY_IDENTIFIER_COMPONENT, refTo, V2_QUERY_SCHEMAS } from './v2-query-schemas.ts'

const Name = Type.String({ minLength: 1 })

const PROPERTY_IDENTIFIER_MEMBERS = {
  Property: memberOf(['property'], { apiName: Name }),
  StructField: memberOf(['structField'], {
    propertyApiName: Name,
    structFieldApiName: Type.String({
      minLength: 1,
      description: 'A field, or our extension for structs inside structs: `geo.lat`.',
    }),
  }),
  LoadLevel: memberOf(['propertyWithLoadLevel'], {
    propertyIdentifier: refTo(PROPERTY_IDENTIFIER_COMPONENT),
    loadLevel: Type.Object({ type: Type.Enum(['noLoadLevel']) }),
  }),
  Special: memberOf(['titleProperty', 'primaryKeyProperty'], {}),
}

export const OBJECT_SET_COMPONENT = 'ObjectSet'

const objectSet = refTo(OBJECT_SET_COMPONENT)
const where = refTo(QUERY_COMPONENTS.v2)

const OBJECT_SET_MEMBERS = {
  Base: memberOf(['base'], { objectType: Name }),
  InterfaceBase: memberOf(['interfaceBase'], {
    interfaceType: Name,
    includeAllBaseObjectProperties: Type.Optional(orNull(Type.Boolean())),
  }),
  Static: memberOf(['static'], {
    objects: Type.Array(Type.String({ pattern: OBJECT_RID_PATTERN }), {
      description: 'RIDs of objects.',
    }),
  }),
  Reference: memberOf(['reference'], {
    reference: Type.String({ pattern: '^ri\\.', description: 'RID of a temporary object set.' }),
  }),
  Filter: memberOf(['filter'], { objectSet, where }),
  Operation: memberOf(['union', 'intersect', 'subtract'], {
    objectSets: Type.Array(objectSet, { minItems: 1 }),
  }),
  SearchAround: memberOf(['searchAround'], {
    objectSet,
    link: Type.String({ minLength: 1, description: 'API name of a link type.' }),
  }),
  AsType: memberOf(['asType'], { entityType: Name, objectSet }),
  AsBaseObjectTypes: memberOf(['asBaseObjectTypes'], { objectSet }),
}

/** The components that `openapi.json` refers to. */
export const V2_SCHEMAS: Readonly<Record<string, object>> = {
  ...V2_QUERY_SCHEMAS,
  ...unionOf(
    PROPERTY_IDENTIFIER_COMPONENT,
    PROPERTY_IDENTIFIER_MEMBERS,
    'Names a property, or in conditions a field of a struct.',
  ),
  ...unionOf(OBJECT_SET_COMPONENT, OBJECT_SET_MEMBERS, 'A set of objects.'),
}

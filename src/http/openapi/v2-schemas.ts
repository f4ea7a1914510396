/** Parts of the request bodies of v2 as `openapi.json` describes them. */
import { type TSchema, Type } from 'typebox'
import { memberOf, unionOf } from './query-schemas.ts'

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

/** The components that `openapi.json` refers to. */
export const V2_SCHEMAS: Readonly<Record<string, object>> = unionOf(
  PROPERTY_IDENTIFIER_COMPONENT,
  PROPERTY_IDENTIFIER_MEMBERS,
  'Names a property, or in conditions a field of a struct.',
)

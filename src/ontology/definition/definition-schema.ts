/**
 * The JSON schema of ontology definitions. It checks the shape of the parts; `parse-definition.ts`
 * checks that they are consistent.
 */

import { type Static, Type } from 'typebox'
import {
  INTERFACE_TYPES_MAX,
  INTERFACES_PER_TYPE_MAX,
  OBJECT_TYPES_MAX,
  PROPERTIES_MAX,
  VALUE_TYPES_MAX,
} from '../../contract/limits.ts'
import { namedObject } from '../../contract/schema-parts.ts'
import { constraints, DefaultDefinition } from '../constraint-schema.ts'
import { API_NAME_PATTERN, FAMILY_PATTERN, ONTOLOGY_NAME_PATTERN } from './api-name.ts'
import { LANGUAGES } from './language.ts'
import { SCALAR_TYPES, type ScalarType } from './property-type.ts'
import { OBJECT_TYPE_RID_PATTERN, ONTOLOGY_RID_PATTERN } from './rid-patterns.ts'

const closed = { additionalProperties: false }

const apiName = Type.String({ pattern: API_NAME_PATTERN })
const named = {
  displayName: Type.Optional(Type.String({ maxLength: 1000 })),
  description: Type.Optional(Type.String({ maxLength: 10_000 })),
}

const renamedFrom = Type.Optional(
  Type.String({
    pattern: API_NAME_PATTERN,
    description:
      'The current name, to change it to this one. Once the rename is done, the stored definition keeps it as the earlier name.',
  }),
)

/** A field of a struct, which can be a struct again. */
export interface FieldDefinition {
  readonly type: ScalarType | 'array' | 'struct'
  readonly displayName?: string
  readonly description?: string
  readonly items?: ItemDefinition
  readonly fields?: FieldDefinitions
  readonly renamedFrom?: string
}

interface ItemDefinition extends Omit<FieldDefinition, 'type' | 'items' | 'renamedFrom'> {
  readonly type: ScalarType | 'struct'
}

export type FieldDefinitions = Readonly<Record<string, FieldDefinition>>

const STRUCT_FIELDS_ID = 'StructFields'

const fields = Type.Optional(
  Type.Unsafe<FieldDefinitions>({
    $ref: `${STRUCT_FIELDS_ID}#`,
    description: 'The fields of a struct.',
  }),
)

const itemDefinition = namedObject(
  'ItemDefinition',
  { type: Type.Enum([...SCALAR_TYPES, 'struct']), ...named, fields },
  closed,
)

const propertyMembers = {
  type: Type.Enum([...SCALAR_TYPES, 'array', 'struct']),
  ...named,
  items: Type.Optional(itemDefinition),
  fields,
}
const language = Type.Optional(
  Type.String({
    maxLength: 100,
    description: `The language of a string, in which other forms of a term are found as well: ${LANGUAGES.join(', ')}.`,
  }),
)

/** A shared schema, because it refers to itself. A validator must know it by its `$id`. */
export const StructFields = Type.Record(
  Type.String({ pattern: API_NAME_PATTERN }),
  namedObject('FieldDefinition', { ...propertyMembers, renamedFrom }, closed),
  {
    ...closed,
    $id: STRUCT_FIELDS_ID,
    minProperties: 1,
    maxProperties: PROPERTIES_MAX,
    description: 'The fields of a struct, by API name.',
  },
)

/** What a property demands of its values. */
const rules = {
  valueType: Type.Optional(
    Type.String({ description: 'The API name of a value type, whose constraints apply.' }),
  ),
  required: Type.Optional(
    Type.Boolean({ description: 'Whether every object must have a value. Default: false.' }),
  ),
  default: Type.Optional(DefaultDefinition),
  constraints,
}

const PropertyDefinition = namedObject(
  'PropertyDefinition',
  { ...propertyMembers, language, ...rules, renamedFrom },
  closed,
)

const { type, items } = propertyMembers
const ValueTypeDefinition = namedObject(
  'ValueTypeDefinition',
  {
    apiName,
    ...named,
    baseType: namedObject('ValueTypeBase', { type, items, fields }, closed),
    constraints,
  },
  closed,
)
const SharedPropertyDefinition = namedObject('SharedPropertyDefinition', propertyMembers, closed)

const nameMap = (description: string) =>
  Type.Optional(
    Type.Record(Type.String({ pattern: API_NAME_PATTERN }), Type.String(), {
      ...closed,
      maxProperties: PROPERTIES_MAX,
      description,
    }),
  )

const ImplementationDefinition = namedObject(
  'ImplementationDefinition',
  {
    properties: nameMap(
      'The property of this object type for each shared property; a property of the same name if absent.',
    ),
    links: nameMap(
      'The link of this object type for each link of the interface; a link of the same name if absent.',
    ),
  },
  closed,
)

const ObjectTypeDefinition = namedObject(
  'ObjectTypeDefinition',
  {
    apiName,
    rid: Type.Optional(Type.String({ pattern: OBJECT_TYPE_RID_PATTERN })),
    ...named,
    renamedFrom,
    primaryKey: Type.String({ description: 'The property that identifies an object.' }),
    titleProperty: Type.Optional(
      Type.String({ description: 'The property that is shown as the title of an object.' }),
    ),
    retrievalLimit: Type.Optional(
      Type.Unsafe<number | 'none'>({
        type: ['integer', 'string'],
        minimum: 1,
        pattern: '^none$',
        description:
          'The maximum number of objects that one walk over this type returns across all pages; `none` removes the limit.',
      }),
    ),
    properties: Type.Record(Type.String({ pattern: API_NAME_PATTERN }), PropertyDefinition, {
      ...closed,
      minProperties: 1,
      maxProperties: PROPERTIES_MAX,
    }),
    implements: Type.Optional(
      Type.Record(Type.String({ pattern: API_NAME_PATTERN }), ImplementationDefinition, {
        ...closed,
        maxProperties: INTERFACES_PER_TYPE_MAX,
        description: 'The interfaces that this object type implements, by API name.',
      }),
    ),
  },
  closed,
)

const LinkTypeDefinition = namedObject(
  'LinkTypeDefinition',
  {
    apiName,
    reverseApiName: Type.Optional(apiName),
    ...named,
    renamedFrom,
    from: Type.String(),
    to: Type.String(),
    foreignKey: Type.String({
      description: 'The property of `from` that contains the primary key of `to`.',
    }),
  },
  closed,
)

const required = Type.Optional(
  Type.Boolean({ description: 'Whether every implementation must have it. Default: true.' }),
)

const InterfaceTypeDefinition = namedObject(
  'InterfaceTypeDefinition',
  {
    apiName,
    ...named,
    properties: Type.Optional(
      Type.Array(
        Type.Union([
          Type.String(),
          namedObject(
            'InterfacePropertyDefinition',
            { sharedProperty: Type.String(), required },
            closed,
          ),
        ]),
        {
          maxItems: PROPERTIES_MAX,
          description: 'API names of shared property types, or objects with `sharedProperty`.',
        },
      ),
    ),
    extendsInterfaces: Type.Optional(
      Type.Array(Type.String(), {
        maxItems: INTERFACES_PER_TYPE_MAX,
        description: 'Interfaces whose properties and links this interface also has.',
      }),
    ),
    links: Type.Optional(
      Type.Array(
        namedObject(
          'InterfaceLinkDefinition',
          {
            apiName,
            ...named,
            target: Type.Union(
              [
                namedObject('ObjectTypeTarget', { objectType: Type.String() }, closed),
                namedObject('InterfaceTypeTarget', { interfaceType: Type.String() }, closed),
              ],
              { description: 'What the link leads to.' },
            ),
            cardinality: Type.Enum(['ONE', 'MANY']),
            required,
          },
          closed,
        ),
        { maxItems: PROPERTIES_MAX },
      ),
    ),
  },
  closed,
)

export const OntologyDefinition = namedObject(
  'OntologyDefinition',
  {
    $schema: Type.Optional(
      Type.String({
        maxLength: 2000,
        description:
          'The schema that editors check the file with; not part of the stored definition.',
      }),
    ),
    apiName: Type.String({ pattern: ONTOLOGY_NAME_PATTERN }),
    rid: Type.Optional(Type.String({ pattern: ONTOLOGY_RID_PATTERN })),
    ...named,
    families: Type.Optional(
      Type.Array(Type.String({ pattern: FAMILY_PATTERN }), {
        maxItems: 100,
        description: 'The `apiFamily` names by which revision 2.0 finds this ontology.',
      }),
    ),
    objectTypes: Type.Array(ObjectTypeDefinition, { maxItems: OBJECT_TYPES_MAX }),
    valueTypes: Type.Optional(
      Type.Array(ValueTypeDefinition, {
        maxItems: VALUE_TYPES_MAX,
        description: 'Named types of values with constraints, which properties share.',
      }),
    ),
    linkTypes: Type.Optional(Type.Array(LinkTypeDefinition, { maxItems: 10_000 })),
    sharedPropertyTypes: Type.Optional(
      Type.Record(Type.String({ pattern: API_NAME_PATTERN }), SharedPropertyDefinition, {
        ...closed,
        maxProperties: PROPERTIES_MAX,
        description: 'Property types that interfaces share between object types, by API name.',
      }),
    ),
    interfaceTypes: Type.Optional(
      Type.Array(InterfaceTypeDefinition, { maxItems: INTERFACE_TYPES_MAX }),
    ),
  },
  closed,
)

export type OntologyDefinition = Static<typeof OntologyDefinition>
export type ObjectTypeDefinition = Static<typeof ObjectTypeDefinition>
export type PropertyDefinition = Static<typeof PropertyDefinition>
export type LinkTypeDefinition = Static<typeof LinkTypeDefinition>
export type InterfaceTypeDefinition = Static<typeof InterfaceTypeDefinition>

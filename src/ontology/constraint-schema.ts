/**
 * The JSON schemas of what a definition demands of values: constraints, value types and defaults.
 * `parse-rules.ts` checks that they fit the type of their property.
 */

import { type Static, Type } from 'typebox'
import { CONSTRAINTS_MAX, ENUM_OPTIONS_MAX, PATTERN_MAX_LENGTH } from '../contract/limits.ts'
import { namedObject } from '../contract/schema-parts.ts'

const closed = { additionalProperties: false }

const CONSTRAINT_TYPES = [
  'enum',
  'range',
  'length',
  'regex',
  'uuid',
  'rid',
  'array',
  'struct',
] as const

export type ConstraintType = (typeof CONSTRAINT_TYPES)[number]

const count = (description: string) => Type.Optional(Type.Integer({ minimum: 0, description }))

/** One object with the members of all constraints, because a union reports mistakes badly. */
const members = {
  type: Type.Enum([...CONSTRAINT_TYPES]),
  options: Type.Optional(
    Type.Array(Type.Unknown(), {
      minItems: 1,
      maxItems: ENUM_OPTIONS_MAX,
      description: '`enum`: the allowed values.',
    }),
  ),
  minimumValue: Type.Optional(
    Type.Unknown({ description: '`range`: the smallest number, date or timestamp.' }),
  ),
  maximumValue: Type.Optional(
    Type.Unknown({ description: '`range`: the largest number, date or timestamp.' }),
  ),
  minimumLength: count('`length`: the smallest number of characters (Unicode code points).'),
  maximumLength: count('`length`: the largest number of characters (Unicode code points).'),
  pattern: Type.Optional(
    Type.String({
      maxLength: PATTERN_MAX_LENGTH,
      description: '`regex`: a regular expression in the syntax of RE2.',
    }),
  ),
  partialMatch: Type.Optional(
    Type.Boolean({
      description: '`regex`: true if a part of the text may match. Default: the whole text must.',
    }),
  ),
  minimumSize: count('`array`: the smallest number of elements.'),
  maximumSize: count('`array`: the largest number of elements.'),
  uniqueValues: Type.Optional(
    Type.Boolean({ description: '`array`: true if no two elements may be equal.' }),
  ),
  properties: Type.Optional(
    Type.Record(Type.String(), Type.String(), {
      description: '`struct`: the value type of each field that has one.',
    }),
  ),
}

export const ConstraintDefinition = namedObject(
  'ConstraintDefinition',
  {
    ...members,
    valueConstraint: Type.Optional(
      namedObject('ElementConstraintDefinition', members, {
        ...closed,
        description: '`array`: a constraint of each element.',
      }),
    ),
  },
  closed,
)

export const constraints = Type.Optional(
  Type.Array(ConstraintDefinition, {
    maxItems: CONSTRAINTS_MAX,
    description: 'What each value must satisfy.',
  }),
)

const DEFAULT_TYPES = ['staticValue', 'currentTime', 'currentUser', 'uniqueIdentifier'] as const

export const DefaultDefinition = namedObject(
  'DefaultDefinition',
  {
    type: Type.Enum([...DEFAULT_TYPES]),
    value: Type.Optional(Type.Unknown({ description: 'The value of a `staticValue`.' })),
  },
  { ...closed, description: 'The value of an object that is written without one.' },
)

export type ConstraintDefinition = Static<typeof ConstraintDefinition>
export type DefaultDefinition = Static<typeof DefaultDefinition>

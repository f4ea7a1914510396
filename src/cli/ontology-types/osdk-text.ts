/** Parts of the text that `@osdk/client` takes. */

import { literal, memberName } from '../../contract/typescript-names.ts'
import type { TypeSyntax } from './code-parts.ts'
import type { DataType } from './full-metadata.ts'

/** The constant of each API name. */
export interface OsdkNames {
  readonly objectTypes: ReadonlyMap<string, string>
  readonly interfaces: ReadonlyMap<string, string>
  readonly actions: ReadonlyMap<string, string>
}

export type Members = readonly (readonly [name: string, value: string])[]

/** `@osdk/client` calls a date `datetime`. */
export function sdkType(type: string): string {
  return type === 'date' ? 'datetime' : type
}

/** The type of a property in `Props`. */
export const PROPERTY_VALUE: TypeSyntax = {
  scalar: (type) => `$PropertyValueWireToClient[${literal(sdkType(type))}]`,
  array: (items) => `Array<${items}>`,
  member: (name, value) => `${name}: ${value} | undefined`,
}

/** Returns the type of a property in the metadata. */
export function propertyDefinition(type: DataType, isNullable: boolean): string {
  const nullable = literal(isNullable ? 'nullable' : 'non-nullable')
  const count = literal(type.type === 'array' ? 'array' : 'single')
  return `$PropertyDef<${wireType(type)}, ${nullable}, ${count}>`
}

function wireType(type: DataType): string {
  if (type.type === 'array') return wireType(itemsOf(type))
  if (type.type !== 'struct') return literal(sdkType(type.type))
  return `{ ${wireFields(type).join('; ')} }`
}

/** `@osdk/client` has no structs in structs: conditions name their fields `geo.lat`. */
function wireFields({ structFieldTypes = [] }: DataType, prefix = ''): string[] {
  return structFieldTypes.flatMap(({ apiName, dataType }) => {
    const inner = itemsOf(dataType)
    const name = prefix + apiName
    if (inner.type === 'struct') return wireFields(inner, `${name}.`)
    return [`${memberName(name)}: ${wireType(inner)}`]
  })
}

/** Returns the items of an array, or the type itself. */
function itemsOf(type: DataType): DataType {
  return type.type === 'array' ? (type.subType ?? { type: 'string' }) : type
}

/** Writes an object type with one member per line. */
export function objectLiteral(members: Members): string {
  if (members.length === 0) return '{}'
  const lines = members.map(([name, value]) => `  ${memberName(name)}: ${indentOf(value)}\n`)
  return `{\n${lines.join('')}}`
}

/** Indents every line but the first. */
export function indentOf(text: string): string {
  return text.replaceAll('\n', '\n  ')
}

/** Writes a tuple of string literals. */
export function textList(texts: readonly string[]): string {
  return `[${texts.map(literal).join(', ')}]`
}

export function optionalLiteral(text: string | undefined): string {
  return text === undefined ? 'undefined' : literal(text)
}

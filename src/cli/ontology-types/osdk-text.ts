/** Parts of the text that `@osdk/client` takes. */
import { literal, memberName } from './identifiers.ts'
import type { FieldModel, TypeModel } from './types-model.ts'

/** The constant of each API name. */
export interface OsdkNames {
  readonly objectTypes: ReadonlyMap<string, string>
  readonly interfaces: ReadonlyMap<string, string>
  readonly actions: ReadonlyMap<string, string>
}

/** `@osdk/client` calls a date `datetime`. */
export function sdkType(type: string): string {
  return type === 'date' ? 'datetime' : type
}

/** Returns the type of a property in `Props`. */
export function propertyValue(type: TypeModel, isNullable: boolean): string {
  const value = tsValue(type)
  return isNullable ? `${value} | undefined` : value
}

function tsValue(type: TypeModel): string {
  switch (type.kind) {
    case 'scalar':
      return `$PropertyValueWireToClient[${literal(sdkType(type.type))}]`
    case 'array':
      return `Array<${tsValue(type.items)}>`
    case 'struct': {
      const fields = type.fields.map(
        (field) => `${memberName(field.apiName)}: ${tsValue(field.type)} | undefined`,
      )
      return `{ ${fields.join('; ')} }`
    }
  }
}

/** Returns the type of a property in the metadata. */
export function propertyDefinition(type: TypeModel, isNullable: boolean): string {
  const isArray = type.kind === 'array'
  const wire = wireType(isArray ? type.items : type)
  const nullable = isNullable ? 'nullable' : 'non-nullable'
  return `$PropertyDef<${wire}, ${literal(nullable)}, ${literal(isArray ? 'array' : 'single')}>`
}

function wireType(type: TypeModel): string {
  switch (type.kind) {
    case 'scalar':
      return literal(sdkType(type.type))
    case 'array':
      return wireType(type.items)
    case 'struct':
      return `{ ${wireFields(type.fields).join('; ')} }`
  }
}

/** `@osdk/client` has no structs in structs: conditions name their fields `geo.lat`. */
function wireFields(fields: readonly FieldModel[], prefix = ''): string[] {
  return fields.flatMap(({ apiName, type }) => {
    const inner = type.kind === 'array' ? type.items : type
    const name = prefix + apiName
    if (inner.kind === 'struct') return wireFields(inner.fields, `${name}.`)
    return [`${memberName(name)}: ${wireType(inner)}`]
  })
}

/** Writes an object type with one member per line. */
export function objectLiteral(members: readonly (readonly [string, string])[]): string {
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

/** Parts of generated code: comments and types. */
import { memberName } from '../../contract/typescript-names.ts'
import type { DataType } from './full-metadata.ts'

/** Returns a doc comment of the given lines; none without text. */
export function docComment(texts: readonly (string | undefined)[], indent = ''): string {
  const lines = texts
    .flatMap((text) => (text ?? '').split(/\r\n|[\n\r\u2028\u2029]/))
    .map((line) => line.replaceAll('*/', '*\\/').trimEnd())
    .filter((line) => line !== '')
  if (lines.length === 0) return ''
  if (lines.length === 1) return `${indent}/** ${lines[0]} */\n`
  return `${indent}/**\n${lines.map((line) => `${indent} * ${line}\n`).join('')}${indent} */\n`
}

/** How a kind of code writes the types of values. */
export interface TypeSyntax {
  readonly scalar: (type: string) => string
  readonly array: (items: string) => string
  /** A field of a struct. */
  readonly member: (name: string, value: string) => string
}

export function writeType(type: DataType, syntax: TypeSyntax): string {
  const { subType = { type: 'string' }, structFieldTypes = [] } = type
  if (type.type === 'array') return syntax.array(writeType(subType, syntax))
  if (type.type !== 'struct') return syntax.scalar(type.type)
  const members = structFieldTypes.map(({ apiName, dataType }) =>
    syntax.member(memberName(apiName), writeType(dataType, syntax)),
  )
  return `{ ${members.join('; ')} }`
}

/** A JSON schema as text that reads like a type, with links to the schemas that it refers to. */
import { escapeHtml } from './page-text.ts'

interface Schema {
  readonly $ref?: string
  readonly type?: string | readonly string[]
  readonly enum?: readonly unknown[]
  readonly const?: unknown
  readonly anyOf?: readonly Schema[]
  readonly oneOf?: readonly Schema[]
  readonly items?: Schema
  readonly properties?: Readonly<Record<string, Schema>>
  readonly additionalProperties?: Schema | boolean
  readonly required?: readonly string[]
  readonly description?: string
}

export function schemaHtml(schema: Schema, indent = ''): string {
  const { $ref, type, enum: values, anyOf, oneOf, items, properties } = schema
  if ($ref !== undefined) {
    const name = $ref.slice($ref.lastIndexOf('/') + 1)
    return `<a href="#schema-${name}">${name}</a>`
  }
  const choices = anyOf ?? oneOf
  if (choices !== undefined) return choices.map((one) => schemaHtml(one, indent)).join(' | ')
  if ('const' in schema) return literal(schema.const)
  if (values !== undefined) return values.map(literal).join(' | ')
  const inner = `${indent}  `
  if (properties !== undefined) return objectHtml(schema, indent)
  const { additionalProperties: others } = schema
  if (typeof others === 'object') return `{ [name]: ${schemaHtml(others, inner)} }`
  if (items !== undefined) {
    const element = schemaHtml(items, indent)
    return element.includes(' | ') ? `(${element})[]` : `${element}[]`
  }
  return [type ?? 'any'].flat().join(' | ')
}

function objectHtml({ properties = {}, required = [] }: Schema, indent: string): string {
  const inner = `${indent}  `
  const members = Object.entries(properties).map(([name, member]) => {
    const mark = required.includes(name) ? '' : '?'
    const text = member.description?.trim().replaceAll(/\s+/g, ' ')
    const comment = text === undefined ? '' : `${inner}<i>${escapeHtml(text)}</i>\n`
    return `${comment}${inner}${escapeHtml(name)}${mark}: ${schemaHtml(member, inner)}\n`
  })
  return members.length === 0 ? '{}' : `{\n${members.join('')}${indent}}`
}

function literal(value: unknown): string {
  return escapeHtml(JSON.stringify(value))
}

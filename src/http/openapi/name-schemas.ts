/**
 * Gives the schemas of `openapi.json` names: generators turn each component into a class, and invent
 * names with numbers for schemas inside others. A schema has the name of its `title`, or else that of
 * its operation, or of the schema and the member that contain it.
 */
import type { Operation } from './complete-operation.ts'
import type { Schema } from './sample-response.ts'

type Named = Schema & { readonly title?: string }

export function nameSchemas(
  operations: readonly Operation[],
  components: Record<string, Schema>,
): void {
  const names = new Names(components)
  for (const [name, schema] of Object.entries(components)) {
    components[name] = names.replaceInner(schema, name)
  }
  for (const { operationId = '', requestBody, responses = {} } of operations) {
    const name = capitalised(operationId)
    for (const media of Object.values(requestBody?.content ?? {})) {
      if (media.schema) media.schema = names.replace(media.schema, `${name}Request`, true)
    }
    for (const { content = {} } of Object.values(responses)) {
      for (const media of Object.values(content)) {
        if (media.schema) media.schema = names.replace(media.schema, `${name}Response`, true)
      }
    }
  }
}

class Names {
  readonly #components: Record<string, Schema>

  constructor(components: Record<string, Schema>) {
    this.#components = components
  }

  /** Returns a schema, or a reference to the component that it becomes. */
  replace(schema: Schema, derivedName: string, isWhole = false): Schema {
    const { title, ...own } = withoutNull(schema) as Named
    const name = title ?? derivedName
    const inner = this.replaceInner(own, name)
    const isNull = isNullable(schema)
    const isNamed = title !== undefined || (isWhole || isNull ? isClass(own) : hasMembers(own))
    const named = isNamed ? this.#refer(inner, name) : inner
    if (!isNull) return named
    if (isNamed || own.const !== undefined) return { anyOf: [named, { type: 'null' }] }
    const { type, enum: values } = schema
    return { ...inner, ...(type && { type }), ...(values && { enum: values }) }
  }

  /** Replaces the schemas inside a schema. */
  replaceInner(schema: Schema, name: string): Schema {
    const { properties, items, additionalProperties, anyOf } = schema
    return {
      ...schema,
      ...(properties && {
        properties: Object.fromEntries(
          Object.entries(properties).map(([member, inner]) => [
            member,
            this.replace(inner, name + capitalised(member)),
          ]),
        ),
      }),
      ...(items && { items: this.replace(items, name) }),
      ...(typeof additionalProperties === 'object' && {
        additionalProperties: this.replace(additionalProperties as Schema, `${name}Value`),
      }),
      ...(anyOf && { anyOf: anyOf.map((one) => this.replace(one, name)) }),
    }
  }

  #refer(schema: Schema, name: string): Schema {
    const known = this.#components[name]
    if (known !== undefined && shapeOf(known) !== shapeOf(schema)) {
      throw new Error(`two schemas of openapi.json have the name ${name}`)
    }
    this.#components[name] = { ...schema, ...known }
    const { description } = schema
    const isOwn = description !== this.#components[name].description
    return { ...(isOwn && { description }), $ref: `#/components/schemas/${name}` }
  }
}

/** Returns what two schemas of one name must have in common: not what explains them. */
function shapeOf({ description: _, examples: __, ...shape }: Schema): string {
  return JSON.stringify(shape)
}

function hasMembers({ properties = {} }: Schema): boolean {
  return Object.keys(properties).length > 0
}

/**
 * Generators make a class of each object and each list of texts. Inside another class, its name follows
 * from that of the member, unless it can be null.
 */
function isClass({ type, enum: values }: Schema): boolean {
  return type === 'object' || values?.some((value) => typeof value === 'string') === true
}

function isNullable({ type, enum: values }: Schema): boolean {
  return (Array.isArray(type) && type.includes('null')) || values?.includes(null) === true
}

/** Returns the schema of the values other than null; a single value is a constant. */
function withoutNull(schema: Schema): Schema {
  const { enum: values, ...rest } = schema
  const types = [schema.type ?? []].flat().filter((type) => type !== 'null')
  const type = types.length === 0 ? {} : { type: types.length === 1 ? types[0] : types }
  const others = values?.filter((value) => value !== null)
  if (others === undefined) return { ...rest, ...type } as Schema
  const isConstant = others.length === 1
  return { ...rest, ...type, ...(isConstant ? { const: others[0] } : { enum: others }) } as Schema
}

function capitalised(name: string): string {
  return name.slice(0, 1).toUpperCase() + name.slice(1)
}

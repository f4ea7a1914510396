/** Makes values that are valid by a JSON schema, from the names that the service knows. */
import type { Random } from '../random.ts'
import type { OpenApiDocument, Schema } from './openapi-operations.ts'
import type { KnownNames } from './world.ts'

/** Unions that contain themselves end below this depth. */
const MAX_DEPTH = 4
const TEXTS = ['a', 'name 1', 'Zurich', 'x y', 'é']

export class SchemaSampler {
  readonly #random: Random
  readonly #names: KnownNames
  readonly #schemas: Readonly<Record<string, Schema>>

  constructor(random: Random, document: OpenApiDocument, names: KnownNames) {
    this.#random = random
    this.#names = names
    this.#schemas = document.components.schemas
  }

  /** Makes a value; `name` is that of the member or parameter which has it. */
  sample(schema: Schema, name = '', depth = 0): unknown {
    const random = this.#random
    if (schema.$ref !== undefined) return this.sample(this.#resolve(schema.$ref), name, depth + 1)
    const union = schema.oneOf ?? schema.anyOf
    if (union !== undefined)
      return this.sample(random.pick(this.#ending(union, depth)), name, depth)
    if (schema.const !== undefined) return schema.const
    if (schema.enum !== undefined) return random.pick(schema.enum)
    switch (random.pick([schema.type ?? 'string'].flat())) {
      case 'object':
        return this.#object(schema, depth)
      case 'array':
        return this.#array(schema, name, depth)
      case 'string':
        return this.#text(schema, name)
      case 'integer':
        return this.#number(schema, name, 1)
      case 'number':
        return this.#number(schema, name, 0.5)
      case 'boolean':
        return random.chance(0.5)
      default:
        return null
    }
  }

  #resolve(reference: string): Schema {
    return this.#schemas[reference.split('/').at(-1) ?? ''] ?? {}
  }

  /** Below the maximum depth, only members of a union that do not refer to another union. */
  #ending(union: readonly Schema[], depth: number): readonly Schema[] {
    if (depth < MAX_DEPTH) return union
    const flat = union.filter(({ $ref }) => {
      const text = $ref === undefined ? '' : JSON.stringify(this.#resolve($ref))
      return !text.includes('Query"') && !text.includes('ObjectSet"') && !text.includes('Rule"')
    })
    return flat.length > 0 ? flat : union
  }

  #object(schema: Schema, depth: number): Record<string, unknown> {
    const { properties = {}, required = [], additionalProperties } = schema
    const object: Record<string, unknown> = {}
    for (const [name, member] of Object.entries(properties)) {
      // Most tokens belong to another request.
      const chance = name === 'pageToken' ? 0.03 : 0.35
      if (!required.includes(name) && !this.#random.chance(chance)) continue
      object[name] = this.sample(member, name, depth)
    }
    if (typeof additionalProperties === 'object' || additionalProperties === true) {
      const member = additionalProperties === true ? { type: 'string' } : additionalProperties
      for (let count = this.#random.below(3); count > 0; count -= 1) {
        object[String(this.#random.pick(this.#names['field'] ?? []))] = this.sample(
          member,
          'value',
          depth,
        )
      }
    }
    return object
  }

  #array({ items = {}, minItems = 0 }: Schema, name: string, depth: number): unknown[] {
    const length = minItems + this.#random.below(depth < MAX_DEPTH ? 3 : 1)
    return Array.from({ length }, () => this.sample(items, name, depth))
  }

  #text({ description = '' }: Schema, name: string): string {
    const known = (this.#names[name] ?? []).filter((value) => typeof value === 'string')
    if (known.length === 0) return this.#random.pick(TEXTS)
    const text = this.#random.pick(known)
    return description.startsWith('`properties.NAME`') ? `properties.${text}` : text
  }

  #number({ minimum = -10, maximum = 100 }: Schema, name: string, step: number): number {
    const known = (this.#names[name] ?? []).filter((value) => typeof value === 'number')
    if (known.length > 0 && minimum >= 0) return this.#random.pick(known)
    return minimum + this.#random.below((maximum - minimum) / step + 1) * step
  }
}

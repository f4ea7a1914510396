/** A model of an object type whose definition changes. A value is a list of texts. */
import type {
  OntologyDefinition,
  PropertyDefinition,
} from '../../src/ontology/definition/definition-schema.ts'

const SCALARS = ['byte', 'integer', 'long', 'decimal', 'double', 'string', 'date'] as const
type Scalar = (typeof SCALARS)[number]
export interface ModelType {
  readonly scalar: Scalar
  readonly isArray: boolean
}

export const TYPES: readonly ModelType[] = [
  ...SCALARS.map((scalar) => ({ scalar, isArray: false })),
  { scalar: 'string', isArray: true },
  { scalar: 'long', isArray: true },
]
export const TEXTS = ['7', '-3', '300', '5000000000', '1.50', '2.00', '2026-01-31', 'x'] as const

type Value = readonly string[]
type Objects = ReadonlyMap<number, ReadonlyMap<string, Value>>
interface State {
  readonly types: ReadonlyMap<string, ModelType>
  readonly objects: Objects
  readonly rewrites: number
  readonly recreations: number
}

export type ModelChange =
  | { readonly kind: 'retype' | 'add'; readonly property: string; readonly type: ModelType }
  | { readonly kind: 'rename'; readonly property: string; readonly to: string }
  | { readonly kind: 'drop'; readonly property: string; readonly allow: boolean }

export class DefinitionModel {
  #state: State = {
    types: new Map([
      ['a', { scalar: 'integer', isArray: false }],
      ['b', { scalar: 'string', isArray: false }],
    ]),
    objects: new Map(),
    rewrites: 0,
    recreations: 0,
  }

  /** How often the stored objects were rewritten, and how often there were none. */
  get redefinitions(): Pick<State, 'rewrites' | 'recreations'> {
    return this.#state
  }

  save(): State {
    return this.#state
  }

  restore(state: State): void {
    this.#state = state
  }

  definition(apiName: string, renamed: Readonly<Record<string, string>>): OntologyDefinition {
    const properties: Record<string, PropertyDefinition> = { k: { type: 'integer' } }
    for (const [name, { scalar, isArray }] of [...this.#state.types].sort()) {
      const renamedFrom = renamed[name]
      properties[name] = {
        ...(isArray ? { type: 'array', items: { type: scalar } } : { type: scalar }),
        ...(renamedFrom === undefined ? {} : { renamedFrom }),
      }
    }
    return { apiName, objectTypes: [{ apiName: 'thing', primaryKey: 'k', properties }] }
  }

  /** Writes an object with the given texts, as far as they are valid, and returns its JSON. */
  put(key: number, texts: Readonly<Record<string, readonly string[]>>): object {
    const values = new Map<string, Value>()
    for (const [name, type] of this.#state.types) {
      const given = texts[name] ?? []
      const value = type.isArray ? given : given.slice(0, 1)
      if (value.length > 0 && isValid(value, type)) values.set(name, canonical(value, type))
    }
    this.#setObjects(new Map(this.#state.objects).set(key, values))
    return this.#toJson(key, values)
  }

  delete(key: number): void {
    const objects = new Map(this.#state.objects)
    objects.delete(key)
    this.#setObjects(objects)
  }

  /** All objects as JSON, in key order. */
  objects(): object[] {
    return [...this.#state.objects]
      .toSorted(([a], [b]) => a - b)
      .map(([key, values]) => this.#toJson(key, values))
  }

  /** The keys that a filter must find, for each value of a property with one value. */
  lookups(): { readonly name: string; readonly text: string; readonly keys: readonly number[] }[] {
    const { types, objects } = this.#state
    return [...types].flatMap(([name, { isArray, scalar }]) => {
      if (isArray) return []
      const textOf = (values: ReadonlyMap<string, Value>) => values.get(name)?.[0]
      const stored = new Set([...objects.values()].flatMap((values) => textOf(values) ?? []))
      const isSame = (a: string | undefined, b: string) =>
        a !== undefined && (scalar === 'string' ? a === b : comparable(a) === comparable(b))
      return [...stored].map((text) => ({
        name,
        text,
        keys: [...objects]
          .filter(([, values]) => isSame(textOf(values), text))
          .map(([key]) => key)
          .toSorted((a, b) => a - b),
      }))
    })
  }

  /**
   * Changes the definition. Returns false if stored objects do not allow it, and undefined if it makes
   * no sense. `isPrepared` if the store converts objects in the background, perhaps none in the end.
   */
  change(change: ModelChange, isPrepared = false): boolean | undefined {
    const { rewrites, recreations } = this.#state
    const isPossible = this.#change(change)
    if (!isPrepared || this.#state.recreations === recreations) return isPossible
    this.#state = { ...this.#state, recreations, rewrites: rewrites + 1 }
    return isPossible
  }

  #change(change: ModelChange): boolean | undefined {
    const { types } = this.#state
    const before = types.get(change.property)
    const changed = new Map(types)
    if (change.kind === 'add') {
      if (before !== undefined) return undefined
      this.#state = { ...this.#state, types: changed.set(change.property, change.type) }
      return true
    }
    if (before === undefined) return undefined
    switch (change.kind) {
      case 'rename':
        if (types.has(change.to)) return undefined
        changed.delete(change.property)
        changed.set(change.to, before)
        return this.#rewrite(changed, (name, value) => [
          name === change.property ? change.to : name,
          value,
        ])
      case 'drop':
        changed.delete(change.property)
        this.#rewrite(changed, (name, value) =>
          name === change.property ? undefined : [name, value],
        )
        return change.allow || this.#state.objects.size === 0
      case 'retype': {
        const { type, property } = change
        if (type.scalar === before.scalar && type.isArray === before.isArray) return undefined
        changed.set(property, type)
        if (before.scalar === 'byte' && type.scalar === 'integer' && !type.isArray) {
          this.#state = { ...this.#state, types: changed }
          return true
        }
        let fits = true
        this.#rewrite(changed, (name, value) => {
          if (name !== property) return [name, value]
          const converted = value.map((text) => convert(text, before, type))
          fits &&= (type.isArray || value.length === 1) && isValid(converted, type)
          return [name, converted]
        })
        return fits
      }
    }
  }

  #rewrite(
    types: ReadonlyMap<string, ModelType>,
    map: (name: string, value: Value) => readonly [string, Value] | undefined,
  ): true {
    const objects = new Map<number, ReadonlyMap<string, Value>>()
    for (const [key, values] of this.#state.objects) {
      objects.set(
        key,
        new Map(
          [...values].flatMap(([name, value]) => {
            const mapped = map(name, value)
            return mapped === undefined ? [] : [mapped]
          }),
        ),
      )
    }
    const { rewrites, recreations } = this.#state
    // A type without objects is only defined again.
    const isEmpty = objects.size === 0
    this.#state = {
      types,
      objects,
      rewrites: rewrites + (isEmpty ? 0 : 1),
      recreations: recreations + (isEmpty ? 1 : 0),
    }
    return true
  }

  #setObjects(objects: Objects): void {
    this.#state = { ...this.#state, objects }
  }

  #toJson(key: number, values: ReadonlyMap<string, Value>): object {
    const json = [...values].flatMap(([name, value]) => {
      const type = this.#state.types.get(name)
      if (type === undefined) throw new Error(`no property ${name}`)
      const all = value.map((text) => toJson(text, type.scalar))
      return [[name, type.isArray ? all : all[0]] as const]
    })
    return { k: key, ...Object.fromEntries(json) }
  }
}

const WHOLE: readonly Scalar[] = ['byte', 'integer', 'long']

/** The text of a stored value as another type reads it. */
function convert(text: string, before: ModelType, after: ModelType): string {
  const isWhole = before.scalar === 'decimal' && WHOLE.includes(after.scalar)
  return isWhole ? text.replace(/\.0+$/, '') : canonicalText(text, after.scalar)
}

function canonical(value: Value, { scalar }: ModelType): Value {
  return value.map((text) => canonicalText(text, scalar))
}

/** A double forgets how it was written. */
function canonicalText(text: string, scalar: Scalar): string {
  return scalar === 'double' ? String(Number(text)) : text
}

function isValid(value: Value, { scalar }: ModelType): boolean {
  return value.every((text) => {
    switch (scalar) {
      case 'string':
        return true
      case 'date':
        return /^\d{4}-\d\d-\d\d$/.test(text)
      case 'decimal':
      case 'double':
        return /^-?\d+(\.\d+)?$/.test(text)
      default:
        return /^-?\d+$/.test(text) && Math.abs(Number(text)) < BOUNDS[scalar]
    }
  })
}

const BOUNDS = { byte: 128, integer: 2 ** 31, long: 2 ** 53 } as const

function toJson(text: string, scalar: Scalar): string | number {
  return scalar === 'byte' || scalar === 'integer' || scalar === 'double' ? Number(text) : text
}

/** Equal for numbers that are equal. */
function comparable(text: string): string {
  return /^-?\d+(\.\d+)?$/.test(text) ? String(Number(text)) : text
}

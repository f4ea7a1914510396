/** Ontologies that differ only in some of their object types. */
import type { InterfaceType, LinkSide, ObjectType, Ontology } from './ontology.ts'

/**
 * Returns an ontology with other versions of some object types, which cannot be written. It shares
 * everything else, so that its cost depends on what differs, not on how large the ontology is.
 */
export function replaceTypes(
  ontology: Ontology,
  types: ReadonlyMap<string, ObjectType>,
  viewId: string,
): Ontology {
  const { rid, apiName, families, linkTypes, sharedPropertyTypes, valueTypes, definition } =
    ontology
  const objectTypes = new OverlaidMap(ontology.objectTypes, types)
  const typeOf = (type: ObjectType) => objectTypes.get(type.apiName) ?? type
  let linkSides: readonly LinkSide[] | undefined
  return {
    ...{ rid, apiName, families, linkTypes, sharedPropertyTypes, valueTypes, definition },
    viewId,
    objectTypes,
    interfaceTypes: new OverlaidMap(
      ontology.interfaceTypes,
      implementedBy(types, ontology.interfaceTypes),
    ),
    get linkSides() {
      linkSides ??= ontology.linkSides.map((side) => ({
        ...side,
        objectType: typeOf(side.objectType),
        linkedType: typeOf(side.linkedType),
      }))
      return linkSides
    },
    get actionTypes() {
      return ontology.actionTypes
    },
  }
}

/** Returns the interfaces that some types implement, with these types. */
function implementedBy(
  types: ReadonlyMap<string, ObjectType>,
  interfaceTypes: ReadonlyMap<string, InterfaceType>,
): ReadonlyMap<string, InterfaceType> {
  const changed = new Map<string, InterfaceType>()
  for (const [name, view] of interfaceTypes) {
    const own = [...types].flatMap(([type, objectType]) => {
      const implementation = view.implementations.get(type)
      return implementation === undefined
        ? []
        : [[type, { ...implementation, objectType }] as const]
    })
    if (own.length === 0) continue
    const implementations = new OverlaidMap(view.implementations, new Map(own))
    changed.set(name, { ...view, implementations })
  }
  return changed
}

/** A map in which some values are replaced. */
class OverlaidMap<Value> implements ReadonlyMap<string, Value> {
  readonly #values: ReadonlyMap<string, Value>
  readonly #replaced: ReadonlyMap<string, Value>

  constructor(values: ReadonlyMap<string, Value>, replaced: ReadonlyMap<string, Value>) {
    this.#values = values
    this.#replaced = replaced
  }

  get size(): number {
    return this.#values.size
  }

  has(key: string): boolean {
    return this.#values.has(key)
  }

  get(key: string): Value | undefined {
    return this.#replaced.get(key) ?? this.#values.get(key)
  }

  keys() {
    return this.#values.keys()
  }

  values() {
    return this.entries().map(([, value]) => value)
  }

  entries() {
    return this.#values
      .entries()
      .map(([key, value]): [string, Value] => [key, this.#replaced.get(key) ?? value])
  }

  [Symbol.iterator]() {
    return this.entries()
  }

  forEach(callback: (value: Value, key: string, map: ReadonlyMap<string, Value>) => void): void {
    for (const [key, value] of this) callback(value, key, this)
  }
}

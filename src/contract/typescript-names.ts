/** Names and literals of TypeScript: identifiers that are valid and unique, and quoted texts. */

/** Words that cannot name a type or a constant. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'any arguments as async await bigint boolean break case catch class const continue debugger declare ' +
    'default delete do else enum eval export extends false finally for from function get if ' +
    'implements import in infer instanceof interface is keyof let module namespace never new null ' +
    'number object of package private protected public readonly require return set static string ' +
    'super switch symbol this throw true try type typeof undefined unique unknown var void while ' +
    'with yield'
  ).split(' '),
)

/** Assigns each API name an identifier. Earlier names win; later ones get a number. */
export class Identifiers {
  readonly #taken: Set<string>

  constructor(taken: readonly string[]) {
    this.#taken = new Set([...RESERVED, ...taken])
  }

  /** Returns an identifier for a type: `my-type.v2` becomes `MyTypeV2`. */
  typeName(apiName: string): string {
    const words = apiName.split(/[^A-Za-z0-9_]+/).filter((word) => word !== '')
    return this.#take(words.map((word) => word[0]?.toUpperCase() + word.slice(1)).join(''))
  }

  /** Returns the API name itself if it is an identifier: `my-type.v2` becomes `my_type_v2`. */
  constantName(apiName: string): string {
    return this.#take(apiName.replaceAll(/[^A-Za-z0-9_]/g, '_'))
  }

  #take(wanted: string): string {
    const base = /^[A-Za-z_]/.test(wanted) ? wanted : `_${wanted}`
    let name = base
    for (let number = 2; this.#taken.has(name); number += 1) name = `${base}_${number}`
    this.#taken.add(name)
    return name
  }
}

/** Returns a text as a string literal. */
export function literal(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${escaped.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`
}

/** Returns a member name, quoted if it must be. */
export function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : literal(name)
}

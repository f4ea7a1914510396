/** Values as JavaScript source text. */
import type { Json } from '../view/conditions.ts'

/** Returns a value as a person would write it: single quotes, and names without them. */
export function jsText(value: Json): string {
  if (typeof value === 'string') return quoted(value)
  if (value === null || typeof value !== 'object') return String(value)
  if (Array.isArray(value)) return `[${value.map(jsText).join(', ')}]`
  const members = Object.entries(value).map(
    ([name, each]) => `${memberName(name)}: ${jsText(each)}`,
  )
  return members.length === 0 ? '{}' : `{ ${members.join(', ')} }`
}

function memberName(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : quoted(name)
}

function quoted(text: string): string {
  const escaped = JSON.stringify(text).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")
  return `'${escaped.replaceAll('\u2028', '\\u2028').replaceAll('\u2029', '\\u2029')}'`
}

/** Words that cannot name a constant. */
const RESERVED: ReadonlySet<string> = new Set(
  (
    'any arguments as async await bigint boolean break case catch class const continue debugger ' +
    'declare default delete do else enum eval export extends false finally for from function get ' +
    'if implements import in infer instanceof interface is keyof let module namespace never new ' +
    'null number object of package private protected public readonly require return set static ' +
    'string super switch symbol this throw true try type typeof undefined unique unknown var void ' +
    'while with yield'
  ).split(' '),
)

/** Returns the constants that `oqs ontology types --for osdk` writes for these types, in order. */
export function constantNames(apiNames: readonly string[]): readonly string[] {
  const taken = new Set(RESERVED)
  return apiNames.map((apiName) => {
    const wanted = apiName.replaceAll(/[^A-Za-z0-9_]/g, '_')
    const base = /^[A-Za-z_]/.test(wanted) ? wanted : `_${wanted}`
    let name = base
    for (let number = 2; taken.has(name); number += 1) name = `${base}_${number}`
    taken.add(name)
    return name
  })
}

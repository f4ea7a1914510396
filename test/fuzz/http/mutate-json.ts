/** Changes one place of a JSON value: another type, an odd value, a missing or an extra member. */
import type { Random } from '../random.ts'
import { ODD_NUMBER_TEXTS, ODD_NUMBERS, ODD_TEXTS } from './odd-values.ts'

/** Stands for a number that `JSON.stringify` cannot write; replaced in the text. */
const NUMBER_MARK = '\u2063number '

interface Place {
  readonly parent: Record<string, unknown> | unknown[]
  readonly key: string | number
}

/** Returns the text of a changed copy of the value. */
export function mutateJson(value: unknown, random: Random): string {
  const root = { value: structuredClone(value) }
  const place = random.pick(placesOf(root))
  change(place, random)
  const text = JSON.stringify(root.value) ?? ''
  return text.replaceAll(new RegExp(`"${NUMBER_MARK}([^"]*)"`, 'g'), '$1')
}

function placesOf(parent: Record<string, unknown> | unknown[]): Place[] {
  const entries = Array.isArray(parent) ? [...parent.entries()] : Object.entries(parent)
  return entries.flatMap(([key, child]) => [
    { parent, key },
    ...(typeof child === 'object' && child !== null ? placesOf(child as unknown[]) : []),
  ])
}

function change(place: Place, random: Random): void {
  const parent = place.parent as Record<string | number, unknown>
  const old = parent[place.key]
  switch (random.below(9)) {
    case 0:
      if (Array.isArray(place.parent)) place.parent.splice(Number(place.key), 1)
      else delete parent[place.key]
      return
    case 1:
      if (typeof old === 'object' && old !== null && !Array.isArray(old)) {
        defineMember(old, random.pick(EXTRA_NAMES), random.pick([1, null, {}, 'x']))
      } else parent[place.key] = { value: old }
      return
    case 2:
      parent[place.key] = random.pick(ODD_TEXTS)
      return
    case 3:
      parent[place.key] = random.pick(ODD_NUMBERS)
      return
    case 4:
      parent[place.key] = NUMBER_MARK + random.pick(ODD_NUMBER_TEXTS)
      return
    case 5:
      parent[place.key] = random.pick([null, true, false, [], {}, [old], [[old]]])
      return
    case 6:
      parent[place.key] = nest(old, 2 ** (1 + random.below(10)), random)
      return
    case 7:
      parent[place.key] = Array.from({ length: random.pick([2, 30, 600, 3000]) }, () => old)
      return
    default:
      parent[place.key] = `${typeof old === 'string' ? old : ''}${random.pick(ODD_TEXTS)}`
  }
}

const EXTRA_NAMES = ['x', '', '__proto__', 'constructor', 'type', 'value', 'pageToken', 'é', 'a.b']

/** `object[name] = value` would change the prototype if the name is `__proto__`. */
function defineMember(object: object, name: string, value: unknown): void {
  Object.defineProperty(object, name, {
    value,
    enumerable: true,
    configurable: true,
    writable: true,
  })
}

/** Wraps a value in many arrays, objects or negations. */
function nest(value: unknown, depth: number, random: Random): unknown {
  const kind = random.below(3)
  let nested = value
  for (let level = 0; level < depth; level += 1) {
    nested = [[nested], { a: nested }, { type: 'not', value: nested }][kind]
  }
  return nested
}

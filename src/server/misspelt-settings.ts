import type { Environment } from './config.ts'
import { SETTING_NAMES, SETTINGS, type SettingName } from './settings.ts'

/**
 * Variables that look like a setting and are none. Only those that are close to one: others may
 * begin with the same letters, such as the variables that Kubernetes sets for a service named oqs.
 */

export interface Misspelt {
  readonly name: string
  readonly meant: SettingName
}

const PREFIX = 'OQS_'
const CLOSE = 2

export function misspeltSettings(environment: Environment): Misspelt[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !Object.hasOwn(SETTINGS, name))
    .flatMap((name) => {
      // The begin of one setting, and of no other.
      const [begun, ...others] = SETTING_NAMES.filter((meant) => meant.startsWith(`${name}_`))
      if (begun !== undefined && others.length === 0) return [{ name, meant: begun }]
      const [closest] = SETTING_NAMES.map((meant) => ({ meant, far: distance(name, meant) }))
        .filter(({ far }) => far <= CLOSE)
        .toSorted((a, b) => a.far - b.far)
      return closest === undefined ? [] : [{ name, meant: closest.meant }]
    })
}

/** Letters to add, drop, change or swap with their neighbour to make one word of the other. */
function distance(from: string, to: string): number {
  let before: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row += 1) {
    const current = [row]
    for (let column = 1; column <= to.length; column += 1) {
      const same = from[row - 1] === to[column - 1]
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current[column] = Math.min(
        (current[column - 1] ?? 0) + 1,
        (last[column] ?? 0) + 1,
        (last[column - 1] ?? 0) + (same ? 0 : 1),
        swapped ? (before[column - 2] ?? 0) + 1 : Infinity,
      )
    }
    before = last
    last = current
  }
  return last[to.length] ?? 0
}

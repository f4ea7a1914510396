/**
 * Finds environment variables that are probably misspelt settings. Other variables may share the
 * prefix, such as those that Kubernetes sets for a service named oqs, so only close names count.
 */
import { isWithinEdits } from '../query/matching/edit-distance.ts'
import type { Environment } from './config.ts'
import { SETTING_NAMES, SETTINGS, type SettingName } from './settings.ts'

export interface MisspeltSetting {
  readonly name: string
  readonly meant: SettingName
}

const PREFIX = 'OQS_'
/** Edit distances to try, closest first. Two swapped letters are two edits. */
const DISTANCES = [1, 2]

export function misspeltSettings(environment: Environment): MisspeltSetting[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith(PREFIX) && !Object.hasOwn(SETTINGS, name))
    .flatMap((name) => {
      const meant = closestSetting(name)
      return meant === undefined ? [] : [{ name, meant }]
    })
}

function closestSetting(name: string): SettingName | undefined {
  const [completion, ...others] = SETTING_NAMES.filter((meant) => meant.startsWith(`${name}_`))
  if (completion !== undefined && others.length === 0) return completion
  for (const distance of DISTANCES) {
    const close = SETTING_NAMES.find((meant) => isWithinEdits(name, meant, distance))
    if (close !== undefined) return close
  }
  return undefined
}

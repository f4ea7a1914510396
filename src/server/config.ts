import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { SETTING_NAMES, SETTINGS, type Setting, type SettingName, shownText } from './settings.ts'

/** Settings → one checked, frozen value. A wrong setting stops the start and says what is wrong. */

type Parsed<Name extends SettingName> = Exclude<
  ReturnType<(typeof SETTINGS)[Name]['parse']>,
  undefined
>
/** A setting without a default may be absent. */
type Absent<Name extends SettingName> = (typeof SETTINGS)[Name]['default'] extends string
  ? never
  : undefined

export type Config = { readonly [Name in SettingName]: Parsed<Name> | Absent<Name> }

export type Environment = Readonly<Record<string, string | undefined>>

/** Where the value of a setting came from. */
export type Source = 'command line' | 'environment' | 'file' | 'default' | 'not set'

export interface ConfiguredSetting {
  readonly name: SettingName
  readonly text: string | undefined
  readonly source: Source
}

/** What is wrong with the configuration, in one line for the operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export function readConfig(environment: Environment, commandLine: Environment = {}): Config {
  const values = settingsInForce(environment, commandLine).map((configured) => {
    const wrong = whatIsWrong(configured)
    if (wrong !== undefined) throw new ConfigError(wrong)
    const { name, text } = configured
    return [name, text === undefined ? undefined : SETTINGS[name].parse(text)]
  })
  return Object.freeze(Object.fromEntries(values)) as Config
}

/** In one line that may be shown; undefined where nothing is wrong. */
export function whatIsWrong({ name, text }: ConfiguredSetting): string | undefined {
  const setting: Setting<unknown> = SETTINGS[name]
  if (text === undefined || setting.parse(text) !== undefined) return undefined
  const shown = setting.secret ? '[secret]' : JSON.stringify(shownText(setting, text))
  return `${name} is ${shown}, but must be ${setting.allowed}`
}

/** Every setting with its text and source: the command line first, then environment, then file. */
export function settingsInForce(
  environment: Environment,
  commandLine: Environment = {},
): ConfiguredSetting[] {
  const path = commandLine['OQS_CONFIG'] ?? environment['OQS_CONFIG']
  const layers: readonly [Source, Environment][] = [
    ['command line', commandLine],
    ['environment', environment],
    ['file', path === undefined ? {} : readConfigFile(path)],
  ]
  return SETTING_NAMES.map((name) => {
    for (const [source, values] of layers) {
      const text = values[name]
      if (text !== undefined && text !== '') return { name, text, source }
    }
    const text: string | undefined = SETTINGS[name].default
    return { name, text, source: text === undefined ? 'not set' : 'default' }
  })
}

function readConfigFile(path: string): Environment {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new ConfigError(`OQS_CONFIG is ${JSON.stringify(path)}: ${(error as Error).message}`)
  }
  const values = parseEnv(text) as Environment
  const unknown = Object.keys(values).find((name) => !Object.hasOwn(SETTINGS, name))
  if (unknown !== undefined) {
    throw new ConfigError(`${path} sets ${unknown}, but there is no such setting`)
  }
  return values
}

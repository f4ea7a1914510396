/** Reads the settings into one checked, frozen value. An invalid setting stops the start. */
import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { displayText, SETTING_NAMES, SETTINGS, type Setting, type SettingName } from './settings.ts'

type Parsed<Name extends SettingName> = Exclude<
  ReturnType<(typeof SETTINGS)[Name]['parse']>,
  undefined
>
/** A setting without a default may be absent. */
type Absent<Name extends SettingName> = (typeof SETTINGS)[Name] extends { default: string }
  ? never
  : undefined

export type Config = { readonly [Name in SettingName]: Parsed<Name> | Absent<Name> }

export type Environment = Readonly<Record<string, string | undefined>>

/** The layer that a setting's value comes from. */
type Source = 'command line' | 'environment' | 'file' | 'default' | 'not set'

export interface ConfiguredSetting {
  readonly name: SettingName
  readonly text: string | undefined
  readonly source: Source
}

/** An invalid configuration, described in one line for the operator. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError'
}

export function readConfig(environment: Environment, commandLine: Environment = {}): Config {
  const values = effectiveSettings(environment, commandLine).map((configured) => {
    const mistake = describeMistake(configured)
    if (mistake !== undefined) throw new ConfigError(mistake)
    const { name, text } = configured
    return [name, text === undefined ? undefined : SETTINGS[name].parse(text)]
  })
  return Object.freeze(Object.fromEntries(values)) as Config
}

/** Throws if only one of two settings that belong together is set. */
export function requireBothOrNeither<Name extends SettingName>(
  config: Pick<Config, Name>,
  one: Name,
  other: Name,
): void {
  if ((config[one] === undefined) === (config[other] === undefined)) return
  const [given, missing] = config[one] === undefined ? [other, one] : [one, other]
  throw new ConfigError(`${given} is set, but ${missing} is not. Set both, or neither.`)
}

/** Returns why a setting is invalid, in one line without secrets; undefined if it is valid. */
export function describeMistake({ name, text }: ConfiguredSetting): string | undefined {
  const setting: Setting<unknown> = SETTINGS[name]
  if (text === undefined || setting.parse(text) !== undefined) return undefined
  const value = setting.secret ? '[secret]' : JSON.stringify(displayText(setting, text))
  return `${name} is ${value}, but must be ${setting.allowed}`
}

/** Returns every setting with its text and source: command line, then environment, then file. */
export function effectiveSettings(
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
    const { default: text }: Setting<unknown> = SETTINGS[name]
    return { name, text, source: text === undefined ? 'not set' : 'default' }
  })
}

function readConfigFile(path: string): Environment {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    const reason = (error as Error).message
    throw new ConfigError(`OQS_CONFIG is ${JSON.stringify(path)}, which cannot be read: ${reason}`)
  }
  // Editors on Windows may begin a file with a byte order mark.
  const values = parseEnv(text.replace(/^\uFEFF/, '')) as Environment
  const unknown = Object.keys(values).find((name) => !Object.hasOwn(SETTINGS, name))
  if (unknown !== undefined) {
    throw new ConfigError(
      `${path} sets ${unknown}, which is not a setting. Run \`oqs config\` for the list of settings.`,
    )
  }
  return values
}

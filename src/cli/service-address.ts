/** Which service a command talks to. */
import type { Config, ConfiguredSetting } from '../server/config.ts'
import type { SettingName } from '../server/settings.ts'
import type { Context } from './contexts.ts'
import { printMessage } from './output.ts'

/** The options of a command that say which service is meant. */
export interface NamedService {
  readonly url?: string
  readonly token?: string
  readonly context?: string
}

export interface ServiceAddress {
  readonly baseUrl: string
  readonly token: string | undefined
}

/** The context that a command has used. */
export interface UsedContext {
  readonly name: string
  readonly url: string
  /** Whether the command has sent the token of the context, and no other. */
  readonly isTokenUsed: boolean
}

/**
 * Returns the service of the options, of the settings, of the current context, or else the one with
 * the default settings on this machine. No service gets a token that is meant for another.
 */
export async function findService(options: NamedService): Promise<ServiceAddress> {
  const { config, settings } = await readSettings()
  const context = await findContextOf(options, settings)
  if (context !== undefined) return { ...context, token: options.token ?? context.token }
  const secret = config.OQS_TOKEN ?? config.OQS_ADMIN_TOKEN
  const baseUrl = options.url ?? (isSet(settings, 'OQS_URL') ? config.OQS_URL : localUrl(config))
  return { baseUrl, token: options.token ?? secret?.reveal() }
}

/**
 * Returns the service that a command administers. Undefined if it should open the store of the
 * settings, because neither the options nor, without `OQS_STORE`, the current context names a service.
 */
export async function findAdministered(options: NamedService): Promise<ServiceAddress | undefined> {
  if (options.url !== undefined || options.context !== undefined) return await findService(options)
  const { settings } = await readSettings()
  return isSet(settings, 'OQS_STORE') ? undefined : await findContextOf(options, settings)
}

/** Settings that say which service is meant, so that they go before the current context. */
const SAY_WHICH_SERVICE: readonly SettingName[] = [
  'OQS_URL',
  'OQS_PORT',
  'OQS_TOKEN',
  'OQS_ADMIN_TOKEN',
]

async function findContextOf(
  options: NamedService,
  settings: readonly ConfiguredSetting[],
): Promise<ServiceAddress | undefined> {
  const used = await chooseContext(options, settings)
  if (used === undefined) return undefined
  const { name, url: baseUrl, token } = used
  if (options.context === undefined) printMessage(`context ${name}: ${baseUrl}`)
  if (token !== undefined) await (await import('./contexts.ts')).warnOfReaders()
  return { baseUrl, token }
}

async function chooseContext(
  { url, context: wanted }: NamedService,
  settings: readonly ConfiguredSetting[],
): Promise<(Context & Pick<UsedContext, 'name'>) | undefined> {
  if (url !== undefined) return undefined
  if (wanted === undefined && SAY_WHICH_SERVICE.some((name) => isSet(settings, name))) {
    return undefined
  }
  const { findContext, readContexts } = await import('./contexts.ts')
  const contexts = await readContexts()
  const name = wanted ?? contexts.current
  return name === undefined ? undefined : { name, ...findContext(contexts, name) }
}

/** Returns the context that a command has used with these options; undefined without one. */
export async function findUsedContext(options: NamedService): Promise<UsedContext | undefined> {
  const { settings } = await readSettings()
  const used = await chooseContext(options, settings)
  return used && { ...used, isTokenUsed: options.token === undefined }
}

async function readSettings() {
  const { effectiveSettings, readConfig } = await import('../server/config.ts')
  return { config: readConfig(process.env), settings: effectiveSettings(process.env) }
}

function isSet(settings: readonly ConfiguredSetting[], name: SettingName): boolean {
  const source = settings.find((setting) => setting.name === name)?.source
  return source !== 'default' && source !== 'not set'
}

/** Returns the address of a service with the same settings on this machine. */
function localUrl({ OQS_PORT, OQS_URL }: Pick<Config, 'OQS_PORT' | 'OQS_URL'>): string {
  // Port 0 stands for any free one.
  if (OQS_PORT === 0) return OQS_URL
  const url = new URL(OQS_URL)
  url.port = String(OQS_PORT)
  return url.origin
}

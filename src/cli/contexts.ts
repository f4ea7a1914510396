/** The services that a user has named with `oqs context`, in a file that only this user can read. */
import { randomUUID } from 'node:crypto'
import { mkdir, rename, rm, stat, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { homeFolder } from './home-folder.ts'
import { printMessage } from './output.ts'
import { readText } from './read-definition.ts'

export interface Context {
  readonly url: string
  readonly token?: string
}

export interface Contexts {
  /** The name of the context that commands use if they are given no service. */
  readonly current?: string
  readonly contexts: Readonly<Record<string, Context>>
}

/** Returns where the contexts are kept, which depends on the system; undefined if there is no home. */
function contextsFile({ env, platform } = process): string | undefined {
  const isWindows = platform === 'win32'
  const named = isWindows ? env['APPDATA'] : env['XDG_CONFIG_HOME']
  if (named) return join(named, 'oqs', 'contexts.json')
  const home = homeFolder()
  return home && join(home, isWindows ? 'AppData/Roaming' : '.config', 'oqs', 'contexts.json')
}

export async function readContexts(): Promise<Contexts> {
  const file = contextsFile()
  if (file === undefined) return { contexts: {} }
  const text = await readText(file).catch((error: Error) => {
    if ((error.cause as NodeJS.ErrnoException).code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return { contexts: {} }
  const contexts = parseContexts(text)
  if (contexts === undefined) {
    throw new Error(`${file} does not contain contexts. Repair it, or delete it.`)
  }
  return contexts
}

const READABLE_BY_OTHERS = 0o044

/** Warns if other users of the machine can read a token in the file. Windows has no such mode. */
export async function warnOfReaders(): Promise<void> {
  const file = contextsFile()
  if (file === undefined || process.platform === 'win32') return
  const { mode } = await stat(file)
  if ((mode & READABLE_BY_OTHERS) === 0) return
  printMessage(`other users can read ${file}, which contains tokens. Run \`chmod 600 ${file}\`.`)
}

/** Returns undefined for a text that no command has written. */
function parseContexts(text: string): Contexts | undefined {
  try {
    const read = JSON.parse(text) as Contexts
    return Object.values(read.contexts).every(isContext) ? read : undefined
  } catch {
    return undefined
  }
}

function isContext({ url, token = '' }: Context): boolean {
  return /^https?:$/.test(URL.parse(url)?.protocol ?? '') && /^[\x21-\x7e]*$/.test(token)
}

/** Replaces the file as a whole, so that a command that runs meanwhile reads the one or the other. */
export async function writeContexts(contexts: Contexts): Promise<void> {
  const file = contextsFile()
  if (file === undefined) throw new Error('This user has no home folder. Set XDG_CONFIG_HOME.')
  await mkdir(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomUUID()}`
  try {
    await writeFile(draft, `${JSON.stringify(contexts, null, 2)}\n`, { mode: 0o600 })
    await rename(draft, file)
  } finally {
    await rm(draft, { force: true })
  }
}

/** Returns the context with a name, or fails and names those that exist. */
export function findContext({ contexts }: Contexts, name: string): Context {
  const found = Object.hasOwn(contexts, name) ? contexts[name] : undefined
  if (found !== undefined) return found
  const names = Object.keys(contexts).join(', ')
  const known = names === '' ? 'There is none yet' : `There are: ${names}`
  throw new Error(`there is no context ${name}. ${known}. \`oqs context add\` adds one.`)
}

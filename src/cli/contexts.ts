/** The services that a user has named with `oqs context`, in a file that only this user can read. */
import { randomUUID } from 'node:crypto'
import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'

export interface Context {
  readonly url: string
  readonly token?: string
}

export interface Contexts {
  /** The name of the context that commands use if they are given no service. */
  readonly current?: string
  readonly contexts: Readonly<Record<string, Context>>
}

/** Returns where the contexts are kept, which depends on the system. */
function contextsFile({ env, platform } = process): string {
  const isWindows = platform === 'win32'
  const folder =
    (isWindows ? env['APPDATA'] : env['XDG_CONFIG_HOME']) ||
    join(homedir(), isWindows ? 'AppData/Roaming' : '.config')
  return join(folder, 'oqs', 'contexts.json')
}

export async function readContexts(): Promise<Contexts> {
  const file = contextsFile()
  const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return undefined
    throw error
  })
  if (text === undefined) return { contexts: {} }
  const contexts = parseContexts(text)
  if (contexts === undefined) {
    throw new Error(`${file} does not contain contexts. Repair it, or delete it.`)
  }
  return contexts
}

function parseContexts(text: string): Contexts | undefined {
  try {
    const read = JSON.parse(text) as Contexts
    const all = Object.values(read.contexts)
    return all.every(({ url }) => typeof url === 'string') ? read : undefined
  } catch {
    return undefined
  }
}

/** Replaces the file as a whole, so that a command that runs meanwhile reads the one or the other. */
export async function writeContexts(contexts: Contexts): Promise<void> {
  const file = contextsFile()
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

/** Reads JSON, such as an ontology definition, from a file or from standard input. */
import { countOf } from '../contract/count-of.ts'

/** The members of a definition that commands use; the service checks all of it. */
export interface Definition {
  readonly apiName: string
  readonly rid?: string
  readonly objectTypes?: readonly { readonly rid?: string }[]
  readonly linkTypes?: readonly unknown[]
  readonly interfaceTypes?: readonly unknown[]
}

/**
 * Reads the definition in a file, or all those in the files of a folder. These are checked, so that none
 * of them is applied before a mistake in another one is found.
 */
export async function readDefinitions(path: string): Promise<readonly Definition[]> {
  const { findDefinitionFiles, validateFiles } = await import(
    '../transfer/definition/validate-files.ts'
  )
  const files = await findDefinitionFiles(path)
  const definitions = await Promise.all(files.map(readDefinition))
  if (files.length > 1) {
    const checked = await validateFiles(files, readJsonFile)
    const invalid = checked.find(({ mistakes }) => mistakes.length > 0)
    if (invalid !== undefined) {
      throw new Error(`${invalid.file} is invalid:\n  ${invalid.mistakes.join('\n  ')}`)
    }
  }
  return definitions
}

export async function readDefinition(file: string): Promise<Definition> {
  const definition = await readJsonFile(file)
  const source = sourceOf(file)
  if (typeof (definition as Definition | null)?.apiName !== 'string') {
    throw new Error(
      `${source} is not an ontology definition: it has no apiName. See docs/reference/ontology.md for the format.`,
    )
  }
  return definition as Definition
}

/** Describes how many types a definition has. */
export function describeDefinition({
  objectTypes = [],
  linkTypes = [],
  interfaceTypes = [],
}: Omit<Definition, 'apiName'>): string {
  return [
    countOf(objectTypes.length, 'object type'),
    countOf(linkTypes.length, 'link type'),
    ...(interfaceTypes.length > 0 ? [countOf(interfaceTypes.length, 'interface type')] : []),
  ].join(', ')
}

/** Reads a JSON file, or standard input if it is `-`. */
export async function readJsonFile(file: string): Promise<unknown> {
  const source = sourceOf(file)
  const text = await readText(file)
  try {
    return JSON.parse(text)
  } catch (error) {
    throw new Error(`${source} is not JSON: ${(error as Error).message}`)
  }
}

function sourceOf(file: string): string {
  return file === '-' ? 'standard input' : file
}

const REASONS: Readonly<Record<string, string>> = {
  EISDIR: 'it is a folder',
  ENOENT: 'the file does not exist',
}

/** Reads a text file, or standard input if it is `-`. */
export async function readText(file: string, source = sourceOf(file)): Promise<string> {
  if (file === '-') {
    const { text } = await import('node:stream/consumers')
    return await text(process.stdin)
  }
  const { readFile } = await import('node:fs/promises')
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = REASONS[code ?? ''] ?? message
    throw new Error(`cannot read ${source}: ${reason}`, { cause: error })
  }
}

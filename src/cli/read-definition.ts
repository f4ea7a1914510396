/** Reads an ontology definition from a file or from standard input. */

/** The members of a definition that commands use; the service checks all of it. */
export interface Definition {
  readonly apiName: string
  readonly rid?: string
  readonly objectTypes?: readonly unknown[]
  readonly linkTypes?: readonly unknown[]
  readonly interfaceTypes?: readonly unknown[]
}

export async function readDefinition(file: string): Promise<Definition> {
  const source = file === '-' ? 'standard input' : file
  const text = await readText(file, source)
  let definition: unknown
  try {
    definition = JSON.parse(text)
  } catch (error) {
    throw new Error(`${source} is not JSON: ${(error as Error).message}`)
  }
  if (typeof (definition as Definition | null)?.apiName !== 'string') {
    throw new Error(
      `${source} is not an ontology definition: it has no apiName. See docs/ontology.md for the format.`,
    )
  }
  return definition as Definition
}

async function readText(file: string, source: string): Promise<string> {
  if (file === '-') {
    const { text } = await import('node:stream/consumers')
    return await text(process.stdin)
  }
  const { readFile } = await import('node:fs/promises')
  try {
    return await readFile(file, 'utf8')
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    const reason = code === 'ENOENT' ? 'the file does not exist' : message
    throw new Error(`cannot read ${source}: ${reason}`, { cause: error })
  }
}

/** Checks definition files without a service. */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { findDefinitionMistakes } from '../../ontology/definition/check-definition.ts'
import type { OntologyDefinition } from '../../ontology/definition/definition-schema.ts'

/** A checked file. */
export interface ValidatedFile {
  readonly file: string
  /** One line each; empty if the file is valid. */
  readonly mistakes: readonly string[]
  /** Undefined if the file is not JSON. */
  readonly definition: OntologyDefinition | undefined
}

/** Returns the definition files at a path: a file, or all `.json` files of a folder. */
export async function findDefinitionFiles(path: string): Promise<readonly string[]> {
  const stats = path === '-' ? undefined : await stat(path).catch(() => undefined)
  if (!stats?.isDirectory()) return [path]
  const names = (await readdir(path)).filter((name) => name.endsWith('.json')).toSorted()
  if (names.length === 0) throw new Error(`${path} has no .json files`)
  return names.map((name) => join(path, name))
}

/** Checks definitions, and that no two of them define the same ontology. */
export async function validateFiles(
  files: readonly string[],
  /** Reads a file as JSON; throws if it is none. */
  readJson: (file: string) => Promise<unknown>,
): Promise<readonly ValidatedFile[]> {
  const fileOf = new Map<string, string>()
  const validated: ValidatedFile[] = []
  for (const file of files) {
    let json: unknown
    try {
      json = await readJson(file)
    } catch (error) {
      validated.push({ file, mistakes: [(error as Error).message], definition: undefined })
      continue
    }
    const definition = json as OntologyDefinition
    const mistakes = findDefinitionMistakes(json).map(
      ({ path, reason }) => `${path === '' ? 'the definition' : path} ${reason}`,
    )
    const { apiName } = definition ?? {}
    const other = fileOf.get(apiName)
    if (other !== undefined) mistakes.push(`apiName ${apiName} is also defined in ${other}`)
    else if (typeof apiName === 'string') fileOf.set(apiName, file)
    validated.push({ file, mistakes, definition })
  }
  return validated
}

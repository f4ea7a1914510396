/** `oqs complete`: the names that completion scripts offer. People do not need it, so help omits it. */
import { Argument, type Command } from 'commander'
import type { Endpoints } from '../../client/endpoints/endpoints.ts'
import { NAME_KINDS, type NameKind } from '../completion/command-tree.ts'
import { writeOut } from '../output.ts'
import { openClient, type ServiceOptions } from '../service-options.ts'

/** Nobody waits longer for a completion. */
const TIMEOUT_MS = 2000

export function addCompleteCommand(program: Command): void {
  program
    .command('complete', { hidden: true })
    .description('Print the names that can follow a part of a command line.')
    .addArgument(new Argument('<kind>', 'what to print the names of').choices(NAME_KINDS))
    .argument('<line>', 'the command line so far')
    .action(async (kind: NameKind, line: string) => {
      // A script cannot show errors, so without a service there are just no names.
      const names = await findNames(kind, optionsOf(line)).catch(() => [])
      await writeOut(names.map((name) => `${name}\n`).join(''))
    })
}

type LineOptions = ServiceOptions & { readonly ontology?: string; readonly type?: string }

/** Returns the values of the options in a command line. */
function optionsOf(line: string): LineOptions {
  const words = (line.match(/"[^"]*"|'[^']*'|[^\s"'=]+/g) ?? []).map((word) =>
    word.replaceAll(/^["']|["']$/g, ''),
  )
  const valueAfter = (flag: string) => words[words.indexOf(flag) + 1 || words.length]
  const found = ['url', 'token', 'context', 'ontology', 'type'].map((name) => [
    name,
    valueAfter(`--${name}`),
  ])
  return Object.fromEntries(found.filter(([, value]) => value !== undefined))
}

async function findNames(kind: NameKind, options: LineOptions): Promise<readonly string[]> {
  if (kind === 'contexts') {
    const { readContexts } = await import('../contexts.ts')
    return Object.keys((await readContexts()).contexts)
  }
  const { revision1 } = await openClient(options, AbortSignal.timeout(TIMEOUT_MS))
  const { ontology, type: objectType } = options
  if (kind === 'ontologies') return namesOf(await revision1.listOntologies())
  if (ontology === undefined) return []
  if (kind === 'types') return listTypes(revision1, ontology)
  if (objectType === undefined) return []
  return Object.keys((await revision1.getObjectType({ ontology, objectType })).properties)
}

async function listTypes(
  revision1: Endpoints['revision1'],
  ontology: string,
): Promise<readonly string[]> {
  const names: string[] = []
  let pageToken: string | undefined
  do {
    const page = await revision1.listObjectTypes(ontology, { pageToken })
    names.push(...namesOf(page.data))
    pageToken = page.nextPageToken
  } while (pageToken !== undefined)
  return names
}

function namesOf(data: readonly { readonly apiName: string }[]): readonly string[] {
  return data.map(({ apiName }) => apiName)
}

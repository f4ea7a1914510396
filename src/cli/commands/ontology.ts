import type { Command } from 'commander'
import { addExamples } from '../examples.ts'
import { untilInterrupted } from '../interrupt.ts'
import { addFormOptions, chooseForm, type FormOptions, writeOut, writeRows } from '../output.ts'
import {
  addServiceOptions,
  openClient,
  parseText,
  type ServiceOptions,
} from '../service-options.ts'
import { addInferCommand } from './ontology-infer.ts'

export function addOntologyCommand(program: Command): void {
  const ontology = program
    .command('ontology')
    .description('Define, change, show and infer ontologies.')
  addExamples(ontology, 'oqs ontology show', 'oqs ontology show aviation')
  addApplyCommand(ontology)
  addShowCommand(ontology)
  addInferCommand(ontology)
}

function addApplyCommand(ontology: Command): void {
  const apply = ontology
    .command('apply')
    .description('Create or change an ontology. Breaking changes are rejected.')
    .argument('<file>', 'definition as JSON; - reads standard input', parseText)
  addServiceOptions(apply)
  addExamples(
    apply,
    'oqs ontology apply aviation.json',
    'oqs ontology show aviation | oqs ontology apply -',
  ).action((file: string, options: ServiceOptions) =>
    untilInterrupted(async (signal) => {
      const definition = await readDefinition(file)
      const client = await openClient(options, signal)
      const applied = (await client.applyDefinition(definition.apiName, definition)) as Definition
      await writeOut(`${describeDefinition(applied)}\n`, signal)
    }),
  )
}

function addShowCommand(ontology: Command): void {
  const show = ontology
    .command('show')
    .description('Show the definition of one ontology, or list all ontologies.')
    .argument('[name]', 'API name or RID of an ontology (default: list all)', parseText)
  addServiceOptions(addFormOptions(show))
  addExamples(show, 'oqs ontology show', 'oqs ontology show aviation > aviation.json').action(
    (name: string | undefined, options: ServiceOptions & FormOptions) =>
      untilInterrupted(async (signal) => {
        const client = await openClient(options, signal)
        if (name !== undefined) {
          const definition = await client.readDefinition(name)
          return await writeOut(`${JSON.stringify(definition, null, 2)}\n`, signal)
        }
        const ontologies = await client.listOntologies()
        const rows = ontologies.map(({ apiName, displayName, description, rid }) => {
          return { apiName, displayName, description, rid }
        })
        return await writeRows(rows, chooseForm(options))
      }),
  )
}

/** The members of a definition that this command uses; the service checks all of it. */
interface Definition {
  readonly apiName: string
  readonly rid?: string
  readonly objectTypes?: readonly unknown[]
  readonly linkTypes?: readonly unknown[]
  readonly interfaceTypes?: readonly unknown[]
}

async function readDefinition(file: string): Promise<Definition> {
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

function describeDefinition(definition: Definition) {
  const { apiName, rid, objectTypes = [], linkTypes = [], interfaceTypes = [] } = definition
  const interfaces = interfaceTypes.length > 0 ? `, ${interfaceTypes.length} interface types` : ''
  const types = `${objectTypes.length} object types, ${linkTypes.length} link types${interfaces}`
  return `applied ${apiName}: ${types} (${rid})`
}

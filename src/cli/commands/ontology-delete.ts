import type { Command } from 'commander'
import { countOf } from '../../contract/count-of.ts'
import { confirm } from '../confirm.ts'
import { writeOut } from '../output.ts'
import {
  parseText,
  runOnService,
  type ServiceContext,
  type ServiceOptions,
} from '../service-options.ts'

interface DeleteOptions extends ServiceOptions {
  readonly cascade?: true
  readonly yes?: true
}

interface Deleted {
  readonly objectTypes: readonly string[]
  readonly linkTypes: readonly string[]
  readonly objects: number
}

export function addDeleteDefinitionCommand(ontology: Command): void {
  const command = ontology
    .command('delete')
    .description('Delete an object type or a whole ontology, with all objects.')
    .argument('<ontology>', 'API name or RID of the ontology', parseText)
    .argument('[type]', 'API name of the object type (default: the whole ontology)', parseText)
    .option('--cascade', 'also delete the links of the type, or the objects of the ontology')
    .option('--yes', 'do not ask for confirmation')
  const examples = [
    'oqs ontology delete sandbox sensor --cascade --yes',
    'oqs ontology delete sandbox --cascade --yes',
  ]
  runOnService(command, examples, deleteDefinition)
}

async function deleteDefinition(
  { client: { administration }, options, signal }: ServiceContext<DeleteOptions>,
  name: string,
  objectType: string | undefined,
): Promise<void> {
  const { cascade, yes } = options
  const what =
    objectType === undefined ? `the ontology ${name}` : `the object type ${objectType} of ${name}`
  if (yes !== true && !(await confirm(`Delete ${what} with all objects?`, signal))) {
    throw new Error('Nothing was deleted.')
  }
  const deleted = (await (objectType === undefined
    ? administration.deleteOntology(name, { cascade })
    : administration.deleteObjectType({ ontology: name, objectType }, { cascade }))) as Deleted
  await writeOut(`deleted ${describeDeleted(deleted)}\n`, signal)
}

function describeDeleted({ objectTypes, linkTypes, objects }: Deleted): string {
  const parts = [
    countOf(objectTypes.length, 'object type'),
    countOf(linkTypes.length, 'link type'),
    countOf(objects, 'object'),
  ]
  return parts.join(', ')
}

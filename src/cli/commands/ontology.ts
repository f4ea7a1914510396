import type { Command } from 'commander'
import { isDefinitionChange } from '../../client/endpoints/definition-change.ts'
import { countOf } from '../../contract/count-of.ts'
import type { ChangePlan } from '../../contract/definition-change.ts'
import { withoutRids } from '../../transfer/definition/without-rids.ts'
import { confirm } from '../confirm.ts'
import { addFormOptions, chooseForm, type FormOptions, writeOut, writeRows } from '../output.ts'
import { type Definition, describeDefinition, readDefinitions } from '../read-definition.ts'
import {
  addExamples,
  parseText,
  runOnService,
  type ServiceContext,
  type ServiceOptions,
} from '../service-options.ts'
import { addArchiveCommands } from './ontology-archive.ts'
import { addChangeCommand, describeChange, followChange } from './ontology-change.ts'
import { addInferCommand } from './ontology-infer.ts'
import { addPlanCommand, describePlan, refuseRejected, sendDefinition } from './ontology-plan.ts'
import { addTypesCommand } from './ontology-types.ts'
import { addValidateCommands } from './ontology-validate.ts'

export function addOntologyCommand(program: Command): void {
  const ontology = program
    .command('ontology')
    .description(
      'Define, plan, change, show, validate, infer, export, import and delete ontologies, and write their types.',
    )
  addExamples(ontology, 'oqs ontology show', 'oqs ontology show aviation')
  addApplyCommand(ontology)
  addPlanCommand(ontology)
  addShowCommand(ontology)
  addValidateCommands(ontology)
  addChangeCommand(ontology)
  addInferCommand(ontology)
  addTypesCommand(ontology)
  addArchiveCommands(ontology)
  addDeleteDefinitionCommand(ontology)
}

function addApplyCommand(ontology: Command): void {
  const apply = ontology
    .command('apply')
    .description('Create or change an ontology, and convert its objects to the definition.')
    .argument(
      '<path>',
      'definition as JSON, or a folder of them; - reads standard input',
      parseText,
    )
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--allow-data-loss', 'delete values and types that the definition no longer has')
    .option('--wait', 'if the change runs in the background, wait until it is published')
  const examples = [
    'oqs ontology apply aviation.json',
    'oqs ontology apply aviation.json --dry-run',
    'oqs ontology apply aviation.json --wait',
    'oqs ontology apply definitions/',
    'oqs ontology show aviation | oqs ontology apply -',
  ]
  runOnService(apply, examples, applyAll)
}

/** Applies all definitions of a folder, in the order of their names; none if one would be rejected. */
async function applyAll(context: ServiceContext<ApplyOptions>, path: string): Promise<void> {
  const { client, options } = context
  const definitions = await readDefinitions(path)
  if (definitions.length > 1 && options.dryRun !== true) {
    const change = { dryRun: true, allowDataLoss: options.allowDataLoss } as const
    for (const definition of definitions) {
      const { apiName } = definition
      const plan = await sendDefinition(client.administration, definition, change)
      refuseRejected(plan as ChangePlan, apiName)
    }
  }
  for (const definition of definitions) {
    if (options.dryRun && definitions.length > 1) {
      await writeOut(`${definition.apiName}\n`, context.signal)
    }
    await applyOne(context, definition)
  }
}

async function applyOne(
  { client: { administration }, options, signal }: ServiceContext<ApplyOptions>,
  definition: Definition,
): Promise<void> {
  const { apiName } = definition
  const { dryRun, allowDataLoss, wait } = options
  const change = { dryRun, allowDataLoss }
  const applied = await sendDefinition(administration, definition, change)
  if (dryRun) {
    const plan = applied as ChangePlan
    await writeOut(describePlan(plan), signal)
    return refuseRejected(plan, apiName)
  }
  if (!isDefinitionChange(applied)) {
    return await writeOut(describeApplied(applied as Definition), signal)
  }
  if (wait === true) return await followChange(administration, applied, apiName, signal)
  const hint = `Follow it with \`oqs ontology change ${apiName} --wait\`.`
  await writeOut(`${describeChange(applied)}\n${hint}\n`, signal)
}

interface ApplyOptions extends ServiceOptions {
  readonly dryRun?: true
  readonly allowDataLoss?: true
  readonly wait?: true
}

interface ShowOptions extends ServiceOptions, FormOptions {
  readonly portable?: true
}

function addShowCommand(ontology: Command): void {
  const show = ontology
    .command('show')
    .description('Show the definition of one ontology, or list all ontologies.')
    .argument('[name]', 'API name or RID of an ontology (default: list all)', parseText)
    .option('--portable', 'leave out RIDs, so that the definition fits every service')
  addFormOptions(show)
  const examples = [
    'oqs ontology show',
    'oqs ontology show aviation > aviation.json',
    'oqs ontology show aviation --portable > aviation.json',
  ]
  runOnService(show, examples, showOntology)
}

async function showOntology(
  { client: { administration, revision1 }, options, signal }: ServiceContext<ShowOptions>,
  name: string | undefined,
): Promise<void> {
  if (name !== undefined) {
    const shown = (await administration.getDefinition(name)) as Definition
    const definition = options.portable === true ? withoutRids(shown) : shown
    return await writeOut(`${JSON.stringify(definition, null, 2)}\n`, signal)
  }
  const rows = (await revision1.listOntologies()).map(
    ({ apiName, displayName, description, rid }) => ({ apiName, displayName, description, rid }),
  )
  await writeRows(rows, chooseForm(options))
}

function describeApplied(definition: Definition): string {
  const { apiName, rid } = definition
  return `applied ${apiName}: ${describeDefinition(definition)} (${rid})\n`
}

interface DeleteOptions extends ServiceOptions {
  readonly cascade?: true
  readonly yes?: true
}

interface Deleted {
  readonly objectTypes: readonly string[]
  readonly linkTypes: readonly string[]
  readonly objects: number
}

function addDeleteDefinitionCommand(ontology: Command): void {
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

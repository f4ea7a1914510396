import type { Command } from 'commander'
import { isDefinitionChange } from '../../client/endpoints/definition-change.ts'
import { countOf } from '../../contract/count-of.ts'
import type { ChangePlan } from '../../contract/definition-change.ts'
import { withoutRids } from '../../transfer/definition/without-rids.ts'
import { confirm } from '../confirm.ts'
import { addFormOptions, chooseForm, type FormOptions, writeOut, writeRows } from '../output.ts'
import { type Definition, describeDefinition, readDefinition } from '../read-definition.ts'
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
import { addTypesCommand } from './ontology-types.ts'
import { addValidateCommands } from './ontology-validate.ts'

export function addOntologyCommand(program: Command): void {
  const ontology = program
    .command('ontology')
    .description(
      'Define, change, show, validate, infer, export, import and delete ontologies, and write their types.',
    )
  addExamples(ontology, 'oqs ontology show', 'oqs ontology show aviation')
  addApplyCommand(ontology)
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
    .argument('<file>', 'definition as JSON; - reads standard input', parseText)
    .option('--dry-run', 'show what would change, and change nothing')
    .option('--allow-data-loss', 'delete values and types that the definition no longer has')
    .option('--wait', 'if the change runs in the background, wait until it is published')
  const examples = [
    'oqs ontology apply aviation.json',
    'oqs ontology apply aviation.json --dry-run',
    'oqs ontology apply aviation.json --wait',
    'oqs ontology show aviation | oqs ontology apply -',
  ]
  runOnService(apply, examples, applyFile)
}

async function applyFile(
  { client: { administration }, options, signal }: ServiceContext<ApplyOptions>,
  file: string,
): Promise<void> {
  const definition = await readDefinition(file)
  const { apiName } = definition
  const { dryRun, allowDataLoss, wait } = options
  const change = { dryRun, allowDataLoss }
  const applied = await administration.applyDefinition(apiName, definition, change)
  if (dryRun) return await showPlan(applied as ChangePlan, signal)
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

/** Writes the plan; throws if the change would be rejected, so that the exit status says so. */
async function showPlan(plan: ChangePlan, signal: AbortSignal): Promise<void> {
  const lines = plan.changes.map(describePlanned)
  const summary =
    plan.changes.length === 0
      ? 'nothing would change'
      : `${countOf(plan.rewrittenObjects, 'object')} would be rewritten${plan.background === true ? ' in the background' : ''}`
  const untried = (plan.untried ?? []).map((part) => `not tried: ${part}`)
  await writeOut(`${[...lines, summary, ...untried].join('\n')}\n`, signal)
  if (plan.refused.length === 0) return
  throw new Error(`The change would be rejected:\n  ${plan.refused.join('\n  ')}`)
}

function describePlanned(change: ChangePlan['changes'][number]): string {
  const { kind, objectType, property, linkType, from, to, objects } = change
  const part = property ?? linkType
  const name = part === undefined ? objectType : `${objectType}.${part}`
  const values = [
    ...(from === undefined ? [] : [`from ${from}`]),
    ...(to === undefined ? [] : [`to ${to}`]),
  ]
  const count = objects === 0 ? '' : ` (${countOf(objects, 'object')})`
  return `${kind.padEnd(8)} ${[name, ...values].join(' ')}${count}`
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

import type { Command } from 'commander'
import { isDefinitionChange } from '../../client/endpoints/definition-change.ts'
import { withoutRids } from '../../transfer/definition/without-rids.ts'
import { addExamples } from '../examples.ts'
import { untilInterrupted } from '../interrupt.ts'
import { addFormOptions, chooseForm, type FormOptions, writeOut, writeRows } from '../output.ts'
import { type Definition, describeDefinition, readDefinition } from '../read-definition.ts'
import {
  addServiceOptions,
  openClient,
  parseText,
  type ServiceOptions,
} from '../service-options.ts'
import { type ChangePlan, showPlan } from '../show-plan.ts'
import { addArchiveCommands } from './ontology-archive.ts'
import { addChangeCommand, describeChange, followChange } from './ontology-change.ts'
import { addDeleteDefinitionCommand } from './ontology-delete.ts'
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
  addServiceOptions(apply)
  addExamples(
    apply,
    'oqs ontology apply aviation.json',
    'oqs ontology apply aviation.json --dry-run',
    'oqs ontology apply aviation.json --wait',
    'oqs ontology show aviation | oqs ontology apply -',
  ).action((file: string, options: ApplyOptions) =>
    untilInterrupted(async (signal) => {
      const definition = await readDefinition(file)
      const { administration } = await openClient(options, signal)
      const { apiName } = definition
      const { dryRun, allowDataLoss } = options
      const applied = await administration.applyDefinition(apiName, definition, {
        dryRun,
        allowDataLoss,
      })
      if (dryRun) return await showPlan(applied as ChangePlan, signal)
      if (isDefinitionChange(applied)) {
        if (options.wait === true)
          return await followChange(administration, applied, apiName, signal)
        const hint = `Follow it with \`oqs ontology change ${apiName} --wait\`.`
        return await writeOut(`${describeChange(applied)}\n${hint}\n`, signal)
      }
      return await writeOut(describeApplied(applied as Definition), signal)
    }),
  )
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
  addServiceOptions(addFormOptions(show))
  addExamples(
    show,
    'oqs ontology show',
    'oqs ontology show aviation > aviation.json',
    'oqs ontology show aviation --portable > aviation.json',
  ).action((name: string | undefined, options: ShowOptions) =>
    untilInterrupted(async (signal) => {
      const { administration, revision1 } = await openClient(options, signal)
      if (name !== undefined) {
        const shown = (await administration.getDefinition(name)) as Definition
        const definition = options.portable === true ? withoutRids(shown) : shown
        return await writeOut(`${JSON.stringify(definition, null, 2)}\n`, signal)
      }
      const ontologies = await revision1.listOntologies()
      const rows = ontologies.map(({ apiName, displayName, description, rid }) => {
        return { apiName, displayName, description, rid }
      })
      return await writeRows(rows, chooseForm(options))
    }),
  )
}

function describeApplied(definition: Definition): string {
  const { apiName, rid } = definition
  return `applied ${apiName}: ${describeDefinition(definition)} (${rid})\n`
}

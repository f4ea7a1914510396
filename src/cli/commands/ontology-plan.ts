/** `oqs ontology plan`: what applying definitions would change, for people and for pipelines. */
import { type Command, CommanderError } from 'commander'
import type { Administration } from '../../client/endpoints/administration.ts'
import type { DefinitionOptions } from '../../client/endpoints/definition-change.ts'
import { countOf } from '../../contract/count-of.ts'
import type { ChangePlan } from '../../contract/definition-change.ts'
import { writeOut } from '../output.ts'
import { startWaiting } from '../progress.ts'
import { type Definition, readDefinitions } from '../read-definition.ts'
import {
  parseText,
  runOnService,
  type ServiceContext,
  type ServiceOptions,
} from '../service-options.ts'

/** The exit status if applying would change something. */
const PENDING_STATUS = 2

interface PlanOptions extends ServiceOptions {
  readonly allowDataLoss?: true
  readonly json?: true
}

export function addPlanCommand(ontology: Command): void {
  const plan = ontology
    .command('plan')
    .description(
      'Show what applying definitions would change. Exits with status 0 if nothing, 2 if something, 1 if it would be rejected.',
    )
    .argument(
      '<path>',
      'definition as JSON, or a folder of them; - reads standard input',
      parseText,
    )
    .option('--allow-data-loss', 'plan for an apply with the same option')
    .option('--json', 'write one JSON object: the plan of each ontology, by its name')
  const examples = ['oqs ontology plan aviation.json', 'oqs ontology plan definitions/ --json']
  runOnService(plan, examples, planAll)
}

async function planAll(
  { client: { administration }, options, signal }: ServiceContext<PlanOptions>,
  path: string,
): Promise<void> {
  const { allowDataLoss, json } = options
  const plans: Record<string, ChangePlan> = {}
  for (const definition of await readDefinitions(path)) {
    const { apiName } = definition
    const change = { dryRun: true, allowDataLoss } as const
    const plan = (await sendDefinition(administration, definition, change)) as ChangePlan
    plans[apiName] = plan
    if (json !== true) await writeOut(`${apiName}\n${describePlan(plan)}`, signal)
  }
  if (json === true) await writeOut(`${JSON.stringify({ ontologies: plans })}\n`, signal)
  for (const [apiName, plan] of Object.entries(plans)) refuseRejected(plan, apiName)
  if (Object.values(plans).some(({ pending }) => pending)) {
    // Ends the command with a status, and prints nothing more.
    throw new CommanderError(PENDING_STATUS, 'oqs.pending', 'changes are pending')
  }
}

/** Applies a definition or tries it, and shows how long that takes. */
export async function sendDefinition(
  administration: Administration,
  definition: Definition,
  options: DefinitionOptions,
): Promise<unknown> {
  const { apiName } = definition
  const waiting = startWaiting(() => `${options.dryRun ? 'trying' : 'applying'} ${apiName}`)
  try {
    return await administration.applyDefinition(apiName, definition, options)
  } finally {
    waiting.end()
  }
}

/** Writes a plan for people. */
export function describePlan({
  pending,
  changes,
  rewrittenObjects,
  background,
  untried = [],
}: ChangePlan): string {
  const rewritten = `${countOf(rewrittenObjects, 'object')} would be rewritten${background === true ? ' in the background' : ''}`
  const nothing = pending
    ? 'only names and descriptions would change, or the ontology is new'
    : 'nothing would change'
  const lines = [
    ...changes.map(describePlanned),
    changes.length === 0 ? nothing : rewritten,
    ...untried.map((part) => `not tried: ${part}`),
  ]
  return `${lines.join('\n')}\n`
}

/** Throws if a change would be rejected, so that the exit status says so. */
export function refuseRejected({ refused }: ChangePlan, ontology: string): void {
  if (refused.length === 0) return
  throw new Error(`The change of ${ontology} would be rejected:\n  ${refused.join('\n  ')}`)
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

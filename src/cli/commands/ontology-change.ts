import type { Command } from 'commander'
import type { Administration } from '../../client/endpoints/administration.ts'
import { type DefinitionChange, waitForChange } from '../../client/endpoints/definition-change.ts'
import { countOf, formatCount } from '../../contract/count-of.ts'
import { changeProgress } from '../change-progress.ts'
import { writeOut } from '../output.ts'
import {
  parseText,
  runOnService,
  type ServiceContext,
  type ServiceOptions,
} from '../service-options.ts'

interface ChangeOptions extends ServiceOptions {
  readonly wait?: true
  readonly cancel?: true
}

export function addChangeCommand(ontology: Command): void {
  const command = ontology
    .command('change')
    .description('Show, follow or cancel the background change of a definition.')
    .argument('<ontology>', 'API name or RID of the ontology', parseText)
    .option('--wait', 'wait until the change is published')
    .option('--cancel', 'cancel the change, and keep the earlier definition')
  const examples = [
    'oqs ontology change aviation',
    'oqs ontology change aviation --wait',
    'oqs ontology change aviation --cancel',
  ]
  runOnService(command, examples, showChange)
}

async function showChange(
  { client: { administration }, options, signal }: ServiceContext<ChangeOptions>,
  name: string,
): Promise<void> {
  const change =
    options.cancel === true
      ? await administration.cancelDefinitionChange(name)
      : await administration.getDefinitionChange(name)
  if (options.wait === true) return await followChange(administration, change, name, signal)
  await writeOut(`${describeChange(change)}\n`, signal)
  if (change.state === 'failed') throw new Error(`the last change of ${name} failed`)
}

/** Shows the progress until a change is published; throws if it fails. */
export async function followChange(
  administration: Administration,
  change: DefinitionChange,
  name: string,
  signal: AbortSignal,
): Promise<void> {
  const progress = changeProgress(name)
  try {
    await waitForChange(administration, change, { signal, onProgress: progress.update })
  } finally {
    progress.end()
  }
  await writeOut(`changed ${name}\n`, signal)
}

/** One line for the change, and one for each type and each reason. */
export function describeChange(change: DefinitionChange): string {
  const { id, state, startedAt, objectTypes, loadingObjects, reasons } = change
  return [
    `${state}: change ${id}, started at ${startedAt}`,
    ...objectTypes.map(
      ({ objectType, phase, objects, totalObjects }) =>
        `  ${objectType}: ${phase}, ${formatCount(objects)} of ${countOf(totalObjects, 'object')}`,
    ),
    ...(loadingObjects === undefined
      ? []
      : [`  waiting until ${countOf(loadingObjects, 'object')} of a replacement are published`]),
    ...reasons.map((reason) => `  ${reason}`),
  ].join('\n')
}

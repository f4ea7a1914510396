/** Shows what a definition would change. */

import { countOf } from '../contract/count-of.ts'
import { writeOut } from './output.ts'

/** The response of `applyOntology` with `dryRun`. */
export interface ChangePlan {
  readonly changes: readonly PlannedChange[]
  readonly rewrittenObjects: number
  readonly refused: readonly string[]
  /** Whether the change would run in the background. */
  readonly background?: true
  /** What was not tried, because there are too many objects. */
  readonly untried?: readonly string[]
}

interface PlannedChange {
  readonly kind: string
  readonly objectType: string
  readonly property?: string
  readonly linkType?: string
  readonly from?: string
  readonly to?: string
  readonly objects: number
}

/** Writes the plan; throws if the change would be rejected, so that the exit status says so. */
export async function showPlan(plan: ChangePlan, signal: AbortSignal): Promise<void> {
  const lines = plan.changes.map(describeChange)
  const summary =
    plan.changes.length === 0
      ? 'nothing would change'
      : `${countOf(plan.rewrittenObjects, 'object')} would be rewritten${plan.background === true ? ' in the background' : ''}`
  const untried = (plan.untried ?? []).map((part) => `not tried: ${part}`)
  await writeOut(`${[...lines, summary, ...untried].join('\n')}\n`, signal)
  if (plan.refused.length === 0) return
  throw new Error(`The change would be rejected:\n  ${plan.refused.join('\n  ')}`)
}

function describeChange(change: PlannedChange): string {
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

/** Describes where and why a value does not match its schema. */
import { API_NAME_PATTERN } from './api-name.ts'
import type { Mistake } from './mistakes.ts'

/** An error of the schema validator. */
export interface Misfit {
  readonly instancePath?: string
  readonly keyword?: string
  readonly params?: Readonly<Record<string, unknown>>
  readonly message?: string | undefined
  /** The validator adds it with the option `verbose`. */
  readonly parentSchema?: unknown
}

/** Returns the path, for example `objectTypes[0].properties.name`, and what is wrong there. */
export function describeMisfit(
  mistake: Misfit | undefined,
  noun: 'members' | 'parameters',
): Mistake {
  const { instancePath = '', keyword = '', params = {}, message = 'is not valid' } = mistake ?? {}
  const steps = instancePath.split('/').slice(1).map(unescapePointer)
  if (keyword === 'additionalProperties') {
    steps.push(String(params['additionalProperty']))
    const isName = NAME.test(steps.at(-1) ?? '')
    return { path: joinSteps(steps), reason: isName ? unknownName(mistake, noun) : NOT_A_NAME }
  }
  if (keyword === 'required') {
    steps.push(String(params['missingProperty']))
    return { path: joinSteps(steps), reason: 'is missing' }
  }
  if (keyword === 'enum') {
    const allowed = (params['allowedValues'] as readonly unknown[]).join(', ')
    return { path: joinSteps(steps), reason: `must be one of ${allowed}` }
  }
  if (keyword === 'pattern') {
    return { path: joinSteps(steps), reason: NOT_A_NAME }
  }
  return { path: joinSteps(steps), reason: message }
}

interface Described {
  readonly properties?: object
}

/** Lists the allowed names. */
function unknownName(mistake: Misfit | undefined, noun: 'members' | 'parameters'): string {
  const allowed = Object.keys((mistake?.parentSchema as Described | undefined)?.properties ?? {})
  return allowed.length === 0 ? 'is unknown' : `is unknown; allowed ${noun}: ${allowed.join(', ')}`
}

const NAME = new RegExp(API_NAME_PATTERN)
const NOT_A_NAME = 'is not a valid name: use letters, digits, "_", "-" and "."'

function joinSteps(steps: readonly string[]): string {
  return steps.reduce(
    (path, step) =>
      /^\d+$/.test(step) ? `${path}[${step}]` : path === '' ? step : `${path}.${step}`,
    '',
  )
}

function unescapePointer(step: string): string {
  return step.replaceAll('~1', '/').replaceAll('~0', '~')
}

/**
 * Lists the mistakes of a definition: parts that do not match the schema, and parts that are not
 * consistent with each other. Needs no catalogue, so it also works without a service.
 */
import { Ajv } from 'ajv'
import { ObjectQueryError } from '../../contract/errors.ts'
import { DEFINITION_MISTAKES_MAX } from '../../contract/limits.ts'
import { OntologyDefinition, StructFields } from './definition-schema.ts'
import { refuseLargeDefinition } from './definition-size.ts'
import { describeMisfit } from './describe-misfit.ts'
import type { Mistake } from './mistakes.ts'
import { findInconsistencies, parseDefinition } from './parse-definition.ts'

/** Larger definitions are checked up to the first misfit: a list of all could have any length. */
const MAX_VALUES = 20_000

/** They compile the schema on first use, and keep it. */
const VALIDATORS = { all: newValidator(true), first: newValidator(false) }

/**
 * Returns the mistakes of any JSON as a definition, at most `DEFINITION_MISTAKES_MAX`; empty if it
 * is valid by itself.
 */
export function findDefinitionMistakes(
  definition: unknown,
  /** The first misfit, if it is known already. */
  known?: Mistake,
): readonly Mistake[] {
  const misfits = findMisfits(definition, known)
  const mistakes =
    misfits.length > 0
      ? [...misfits, ...findInconsistencies(definition, (path) => isMatching(path, misfits))]
      : mistakesOf(() => {
          refuseLargeDefinition(definition)
          parseDefinition(definition as OntologyDefinition)
        })
  return mistakes.slice(0, DEFINITION_MISTAKES_MAX)
}

function findMisfits(definition: unknown, known: Mistake | undefined): readonly Mistake[] {
  const isSmall = countValues(definition, MAX_VALUES) < MAX_VALUES
  if (!isSmall && known !== undefined) return [known]
  const validate = VALIDATORS[isSmall ? 'all' : 'first'].compile(OntologyDefinition)
  if (validate(definition)) return []
  const byPath = new Map<string, Mistake>()
  for (const misfit of validate.errors ?? []) {
    const mistake = describeMisfit(misfit, 'members')
    // A union reports the misfits of each of its members.
    if (!byPath.has(mistake.path)) byPath.set(mistake.path, mistake)
  }
  return [...byPath.values()]
}

function newValidator(allErrors: boolean): Ajv {
  const options = { strict: false, strictNumbers: true, verbose: true, allErrors }
  // The schema is a constant, which tests compile.
  return new Ajv({ ...options, validateSchema: false, meta: false }).addSchema(StructFields)
}

/** Returns whether neither a part nor anything inside it is among the misfits. */
function isMatching(part: string, misfits: readonly Mistake[]): boolean {
  return !misfits.some(
    ({ path }) => path === part || path.startsWith(`${part}.`) || path.startsWith(`${part}[`),
  )
}

function mistakesOf(check: () => void): readonly Mistake[] {
  try {
    check()
    return []
  } catch (error) {
    const isRefused =
      error instanceof ObjectQueryError && error.errorName === 'InvalidOntologyDefinition'
    if (!isRefused) throw error
    return error.parameters['mistakes'] as readonly Mistake[]
  }
}

/** Counts the values in a JSON value, up to a limit. */
function countValues(json: unknown, limit: number): number {
  let count = 0
  const pending: unknown[] = [json]
  while (pending.length > 0 && count < limit) {
    const value = pending.pop()
    count += 1
    if (typeof value !== 'object' || value === null) continue
    for (const member of Object.values(value)) {
      if (pending.length >= limit) return limit
      pending.push(member)
    }
  }
  return count
}

/** Checks a policy against the definitions that it names. */
import type { Catalogue } from '../../ontology/catalogue.ts'
import type { ObjectType, Ontology } from '../../ontology/ontology.ts'
import { parseQuery } from '../../query/parse/parse-query.ts'
import type { QueryLimits } from '../../query/parse/query-budget.ts'
import { unprocessable } from '../../query/parse/unprocessable.ts'
import { V2_QUERIES } from '../../query/parse/v2-query-language.ts'
import { hasKind } from '../../query/query-tree.ts'
import { checkClaims } from './claims.ts'
import { ALL_TYPES, type PolicyBody, type Right } from './policy.ts'
import { isHideable } from './policy-rights.ts'

export interface PolicyContext {
  readonly catalogue: Catalogue
  readonly limits: QueryLimits
  /** The claims that callers can have. */
  readonly claims: readonly string[]
}

/** Throws the error of the first right that does not fit; it names the path of the mistake. */
export function checkPolicy({ rights }: PolicyBody, context: PolicyContext): void {
  for (const [index, right] of rights.entries()) {
    const path = `rights[${index}]`
    const ontology = context.catalogue.find(right.ontology)
    if (ontology === undefined) {
      throw unprocessable(`${path}.ontology`, `there is no ontology ${right.ontology}`)
    }
    checkRight(right, path, ontology, context)
  }
  refuseMixedAdministration(rights, context)
}

function checkRight(right: Right, path: string, ontology: Ontology, context: PolicyContext): void {
  const { objectType: name, access, where, hide } = right
  for (const member of ['where', 'hide'] as const) {
    if (right[member] === undefined) continue
    if (access !== 'read') {
      throw unprocessable(
        `${path}.${member}`,
        `is only allowed with the access read, not ${access}`,
      )
    }
    if (name === ALL_TYPES) {
      throw unprocessable(`${path}.${member}`, 'needs an object type; name it in objectType')
    }
  }
  if (name === ALL_TYPES) return
  if (access === 'administer') {
    const reason = `must be ${ALL_TYPES}: a definition is administered as a whole`
    throw unprocessable(`${path}.objectType`, reason)
  }
  const objectType = ontology.objectTypes.get(name)
  if (objectType === undefined) {
    const reason = `the ontology ${ontology.apiName} has no object type ${name}`
    throw unprocessable(`${path}.objectType`, reason)
  }
  hide?.forEach((property, index) => {
    checkHidden(property, `${path}.hide[${index}]`, objectType)
  })
  if (where !== undefined) checkRule(where, `${path}.where`, objectType, context)
}

function checkHidden(property: string, path: string, objectType: ObjectType): void {
  if (isHideable(property, objectType)) return
  const { apiName, properties } = objectType
  throw unprocessable(
    path,
    properties.has(property)
      ? 'is the primary key, which cannot be hidden'
      : `the object type ${apiName} has no property ${property}`,
  )
}

function checkRule(
  where: unknown,
  path: string,
  objectType: ObjectType,
  { limits, claims }: PolicyContext,
): void {
  const rule = parseQuery(V2_QUERIES, where, { objectType, limits, path })
  if (hasKind(rule, 'relativeDates')) {
    throw unprocessable(path, 'has a relative date, which would change during a walk')
  }
  if (rule.kind === 'everything') throw unprocessable(path, 'matches every object; omit it')
  checkClaims(where, claims, path)
}

/** Administering covers a whole ontology, so a further right for it would have no effect. */
function refuseMixedAdministration(rights: readonly Right[], { catalogue }: PolicyContext): void {
  const ridOf = ({ ontology }: Right) => catalogue.index.find(ontology)?.rid
  const administered = rights.filter(({ access }) => access === 'administer').map(ridOf)
  for (const [index, right] of rights.entries()) {
    if (right.access === 'administer' || !administered.includes(ridOf(right))) continue
    const reason = `has no effect: the policy also allows administering ${right.ontology}`
    throw unprocessable(`rights[${index}]`, reason)
  }
}

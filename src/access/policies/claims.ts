/** Claims of the caller in the `where` of a right: `$caller.NAME` in place of a value. */
import { isJsonObject } from '../../ontology/json-object.ts'
import { unprocessable } from '../../query/parse/unprocessable.ts'
import type { Claims } from './policy.ts'

const PREFIX = '$caller.'

/** Only these compare for equality. In a pattern, the text of a claim could match everything. */
const EQUALITIES: readonly unknown[] = ['eq', 'in']

/** A caller does not have a claim that a rule uses. */
class MissingClaim extends Error {}

/** Returns a `where` with the claims of a caller; undefined if the caller lacks one of them. */
export function tryClaims(where: unknown, claims: Claims): unknown {
  try {
    return replaceClaims(where, 'where', (claim) => {
      const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined
      if (value === undefined) throw new MissingClaim()
      return value
    })
  } catch (error) {
    if (error instanceof MissingClaim) return undefined
    throw error
  }
}

/** Returns claims that stand for themselves in every rule. */
export function namesAsClaims(names: readonly string[]): Claims {
  return Object.fromEntries(names.map((name) => [name, `${PREFIX}${name}`]))
}

export function usesClaims(where: unknown): boolean {
  let isUsed = false
  replaceClaims(where, 'where', (claim) => {
    isUsed = true
    return claim
  })
  return isUsed
}

/** Refuses claims that are unknown or not compared for equality, by their path. */
export function checkClaims(where: unknown, known: readonly string[], path: string): void {
  replaceClaims(where, path, (claim, at) => {
    if (known.includes(claim)) return claim
    throw unprocessable(at, `uses the unknown claim ${claim}; known claims: ${known.join(', ')}`)
  })
}

type ClaimValue = (claim: string, path: string) => string

/** A parsed `where` is never nested deeply, so neither is this. */
function replaceClaims(where: unknown, path: string, claimValue: ClaimValue): unknown {
  if (!isJsonObject(where) || !Object.hasOwn(where, 'value')) return where
  const { type, value } = where
  const replace = (one: unknown, at: string): unknown =>
    isJsonObject(one) ? replaceClaims(one, at, claimValue) : replaceOne(one, type, at, claimValue)
  return {
    ...where,
    value: Array.isArray(value)
      ? value.map((one, index) => replace(one, `${path}.value[${index}]`))
      : replace(value, `${path}.value`),
  }
}

function replaceOne(value: unknown, type: unknown, path: string, claimValue: ClaimValue): unknown {
  if (typeof value !== 'string' || !value.startsWith(PREFIX)) return value
  if (!EQUALITIES.includes(type)) {
    throw unprocessable(path, `is a claim, which only ${EQUALITIES.join(' and ')} can compare`)
  }
  return claimValue(value.slice(PREFIX.length), path)
}

/** Stored policies. Changes take effect with the next request of every caller. */
import { ObjectQueryError } from '../../contract/errors.ts'
import { unprocessable } from '../../query/parse/unprocessable.ts'
import { checkPolicy, type PolicyContext } from '../../query/rights/check-policy.ts'
import type { Policy, PolicyBody } from '../../query/rights/policy.ts'
import type { Documents } from '../../store/object-store.ts'
import { toPolicy } from './caller-views.ts'

/** A policy, checked against the current definitions. */
export interface CheckedPolicy extends Policy {
  /**
   * The first mistake, if the policy no longer fits a definition that it names, and so allows
   * nothing.
   */
  readonly problem?: string
}

/** Saves a policy that fits the definitions it names. */
export async function savePolicy(
  documents: Documents,
  { name, ...body }: Policy,
  context: PolicyContext,
): Promise<void> {
  checkPolicy(body, context)
  await documents.put({ kind: 'policy', id: name, body, expiresAtMs: undefined })
}

/** Returns all policies, by name. */
export async function listPolicies(
  documents: Documents,
  context: PolicyContext,
  nowMs: number,
): Promise<readonly CheckedPolicy[]> {
  const policies = await documents.list('policy', nowMs)
  return policies.map(toPolicy).map((policy) => describeProblem(policy, context))
}

/** Returns a policy. Throws `PolicyNotFound`. */
export async function findPolicy(
  documents: Documents,
  name: string,
  context: PolicyContext,
  nowMs: number,
): Promise<CheckedPolicy> {
  const found = await documents.find('policy', name, nowMs)
  if (found === undefined) throw policyNotFound(name)
  return describeProblem(toPolicy(found), context)
}

/** Deletes a policy: tokens that name it lose its rights. Throws `PolicyNotFound`. */
export async function deletePolicy(documents: Documents, name: string): Promise<void> {
  if (!(await documents.delete('policy', name))) throw policyNotFound(name)
}

/** Returns the policies that a new token or client names. Refuses unknown ones. */
export async function readPolicyNames(
  names: readonly string[] | null | undefined,
  documents: Documents,
  nowMs: number,
): Promise<readonly string[] | undefined> {
  if (names == null) return undefined
  for (const [index, name] of names.entries()) {
    if ((await documents.find('policy', name, nowMs)) !== undefined) continue
    throw unprocessable(`policies[${index}]`, `there is no policy ${name}`)
  }
  return [...new Set(names)]
}

function policyNotFound(policy: string): ObjectQueryError {
  return new ObjectQueryError('PolicyNotFound', { policy })
}

function describeProblem(policy: Policy, context: PolicyContext): CheckedPolicy {
  try {
    checkPolicy(policy as PolicyBody, context)
    return policy
  } catch (error) {
    if (!(error instanceof ObjectQueryError)) throw error
    const { parameter, reason } = error.parameters
    const problem = [parameter, reason ?? error.errorName].filter((part) => part !== undefined)
    return { ...policy, problem: problem.join(' ') }
  }
}

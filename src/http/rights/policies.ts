/** Stored policies. Changes take effect with the next request of every caller. */
import { ObjectQueryError } from '../../contract/errors.ts'
import { unprocessable } from '../../query/parse/unprocessable.ts'
import { checkPolicy, type PolicyContext } from '../../query/rights/check-policy.ts'
import type { Policy, PolicyBody } from '../../query/rights/policy.ts'
import type { DocumentGuard, Documents, OnceNote } from '../../store/object-store.ts'
import {
  isConditional,
  type Preconditions,
  requirePreconditions,
} from '../request/preconditions.ts'
import { etagOfBytes } from '../response/entity-tag.ts'
import { toPolicy } from './caller-views.ts'

/** A policy, checked against the current definitions. */
export interface CheckedPolicy extends Policy {
  /**
   * The first mistake, if the policy no longer fits a definition that it names, and so allows
   * nothing.
   */
  readonly problem?: string
}

/** Returns what policies are checked against, with the definitions that rights name. */
export type ReadPolicyContext = (rights: PolicyBody['rights']) => Promise<PolicyContext>

/** What guards a write of a policy. */
export interface PolicyGuards {
  readonly preconditions: Preconditions
  readonly once: OnceNote | undefined
}

/** Saves a policy that fits the definitions it names. */
export async function savePolicy(
  documents: Documents,
  { name, ...body }: Policy,
  readContext: ReadPolicyContext,
  guards?: PolicyGuards,
): Promise<void> {
  checkPolicy(body, await readContext(body.rights))
  const document = { kind: 'policy', id: name, body, expiresAtMs: undefined } as const
  const put = (guard: DocumentGuard) => documents.put(document, undefined, guard)
  // Fails if the policy has changed since it was read; the preconditions are then checked again.
  while (!(await put(await readGuard(documents, name, readContext, guards))));
}

/**
 * Returns the guard of a write of a policy. Throws `PreconditionFailed` if the preconditions do not
 * hold for the policy that is stored now.
 */
async function readGuard(
  documents: Documents,
  name: string,
  readContext: ReadPolicyContext | undefined,
  guards: PolicyGuards | undefined,
): Promise<DocumentGuard> {
  const { preconditions, once } = guards ?? {}
  if (readContext === undefined || preconditions === undefined || !isConditional(preconditions)) {
    return { once }
  }
  // Policies do not expire, so any time will do.
  const stored = await documents.find('policy', name, 0)
  const tag = stored && (await policyTag(toPolicy(stored), readContext))
  requirePreconditions(preconditions, tag === undefined ? undefined : () => [tag], { policy: name })
  return { expected: stored ?? null, once }
}

/** Returns the entity tag of the response that shows a policy. */
async function policyTag(policy: Policy, readContext: ReadPolicyContext): Promise<string> {
  return etagOfBytes(JSON.stringify(await describeProblem(policy, readContext)))
}

/** Returns all policies, by name. */
export async function listPolicies(
  documents: Documents,
  readContext: ReadPolicyContext,
  nowMs: number,
): Promise<readonly CheckedPolicy[]> {
  const checked: CheckedPolicy[] = []
  for (const document of await documents.list('policy', nowMs)) {
    // One after the other: the definitions of all policies may not fit into memory.
    checked.push(await describeProblem(toPolicy(document), readContext))
  }
  return checked
}

/** Returns a policy. Throws `PolicyNotFound`. */
export async function findPolicy(
  documents: Documents,
  name: string,
  readContext: ReadPolicyContext,
  nowMs: number,
): Promise<CheckedPolicy> {
  const found = await documents.find('policy', name, nowMs)
  if (found === undefined) throw policyNotFound(name)
  return describeProblem(toPolicy(found), readContext)
}

/** Deletes a policy: tokens that name it lose its rights. Throws `PolicyNotFound`. */
export async function deletePolicy(
  documents: Documents,
  name: string,
  readContext?: ReadPolicyContext,
  guards?: PolicyGuards,
): Promise<void> {
  for (;;) {
    const guard = await readGuard(documents, name, readContext, guards)
    if (guard.expected === null) throw policyNotFound(name)
    if (await documents.delete('policy', name, guard)) return
    if (guard.expected === undefined) throw policyNotFound(name)
  }
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

async function describeProblem(
  policy: Policy,
  readContext: ReadPolicyContext,
): Promise<CheckedPolicy> {
  try {
    checkPolicy(policy as PolicyBody, await readContext(policy.rights))
    return policy
  } catch (error) {
    if (!(error instanceof ObjectQueryError)) throw error
    const { parameter, reason } = error.parameters
    const problem = [parameter, reason ?? error.errorName].filter((part) => part !== undefined)
    return { ...policy, problem: problem.join(' ') }
  }
}

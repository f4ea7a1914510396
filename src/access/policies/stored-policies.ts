/** Stored policies. Changes take effect with the next request of every caller. */
import { Ajv } from 'ajv'
import { ObjectQueryError } from '../../contract/errors.ts'
import { unprocessable } from '../../query/parse/unprocessable.ts'
import type { DocumentGuard, Documents, IdempotencyNote } from '../../store/object-store.ts'
import { checkPolicy, type PolicyContext } from './check-policy.ts'
import { NamedPolicy, type Policy, type PolicyBody } from './policy.ts'
import { toPolicy } from './view-cache.ts'

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
  /** Throws if the write depends on another policy than the stored one; undefined if on none. */
  readonly check?: ((stored: CheckedPolicy | undefined) => void) | undefined
  readonly idempotencyKey?: IdempotencyNote | undefined
}

/** Saves a policy that fits the definitions it names. */
export async function savePolicy(
  documents: Documents,
  { name, ...body }: Policy,
  readContext: ReadPolicyContext,
  guards: PolicyGuards = {},
): Promise<void> {
  checkPolicy(body, await readContext(body.rights))
  const document = { kind: 'policy', id: name, body, expiresAtMs: undefined } as const
  const put = (guard: DocumentGuard) => documents.put(document, undefined, guard)
  // Fails if the policy has changed since it was read; it is then checked again.
  while (!(await put(await readGuard(documents, name, readContext, guards))));
}

/** Returns the guard of a write of a policy, after its check has accepted the stored policy. */
async function readGuard(
  documents: Documents,
  name: string,
  readContext: ReadPolicyContext | undefined,
  { check, idempotencyKey }: PolicyGuards,
): Promise<DocumentGuard> {
  if (readContext === undefined || check === undefined) return { idempotencyKey }
  // Policies do not expire, so any time will do.
  const stored = await documents.find('policy', name, 0)
  check(stored && (await describeProblem(toPolicy(stored), readContext)))
  return { expected: stored ?? null, idempotencyKey }
}

/** Returns the policy that JSON describes. Throws an error with the path of the first mistake. */
export function parsePolicy(json: unknown): Policy {
  const validate = new Ajv({ strict: false }).compile<Policy>(NamedPolicy)
  if (validate(json)) return json
  const [mistake] = validate.errors ?? []
  const path = mistake?.instancePath.replaceAll('/', '.').replace(/^\./, '') ?? ''
  throw invalidPolicy([path, mistake?.message])
}

/** Saves a policy. Throws an error with the path of the first mistake. */
export async function applyPolicy(
  documents: Documents,
  policy: Policy,
  readContext: ReadPolicyContext,
): Promise<Policy> {
  try {
    await savePolicy(documents, policy, readContext)
    return policy
  } catch (error) {
    throw error instanceof ObjectQueryError ? invalidPolicy(describeMistake(error)) : error
  }
}

function invalidPolicy(parts: readonly unknown[]): Error {
  return new Error(`the policy is invalid: ${parts.filter((part) => part !== '').join(' ')}`)
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
  guards: PolicyGuards = {},
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
    return { ...policy, problem: describeMistake(error).join(' ') }
  }
}

function describeMistake({ parameters, errorName }: ObjectQueryError): readonly unknown[] {
  const { parameter, reason, ...others } = parameters
  const details = Object.keys(others).length === 0 ? [] : [JSON.stringify(others)]
  const mistake = reason === undefined ? [errorName, ...details] : [reason]
  return parameter === undefined ? mistake : [parameter, ...mistake]
}

/** Policies, for the commands that manage them in the store. */
import { Ajv } from 'ajv'
import { Type } from 'typebox'
import { INTERNAL_CONTEXT } from '../admission/request-context.ts'
import { ObjectQueryError } from '../contract/errors.ts'
import { claimNames } from '../http/rights/caller-views.ts'
import {
  type CheckedPolicy,
  deletePolicy,
  findPolicy,
  listPolicies,
  type ReadPolicyContext,
  savePolicy,
} from '../http/rights/policies.ts'
import { type Policy, PolicyBody, PolicyName } from '../query/rights/policy.ts'
import type { ObjectStore } from '../store/object-store.ts'
import type { Config } from './config.ts'
import { queryLimitsOf } from './query-limits.ts'

export { type CheckedPolicy, deletePolicy, findPolicy, listPolicies }

const NamedPolicy = Type.Object(
  { name: PolicyName, ...PolicyBody.properties },
  { additionalProperties: false },
)

/** Returns what policies are checked against: the same as in the service with these settings. */
export function policyContext(store: ObjectStore, config: Config): ReadPolicyContext {
  const { callerId } = INTERNAL_CONTEXT
  return async (rights) => ({
    catalogue: await store.readCatalogue({ named: rights, callerId }),
    limits: queryLimitsOf(config),
    claims: claimNames(config.OQS_OIDC_RULE_CLAIMS ?? []),
  })
}

/** Saves a policy. Throws an error with the path of the first mistake. */
export async function applyPolicy(
  { documents }: ObjectStore,
  json: unknown,
  readContext: ReadPolicyContext,
): Promise<Policy> {
  const validate = new Ajv({ strict: false }).compile<Policy>(NamedPolicy)
  if (!validate(json)) {
    const [mistake] = validate.errors ?? []
    const path = mistake?.instancePath.replaceAll('/', '.').replace(/^\./, '') ?? ''
    throw new Error(`the policy is invalid: ${path} ${mistake?.message}`.replace('  ', ' '))
  }
  try {
    await savePolicy(documents, json, readContext)
    return json
  } catch (error) {
    if (!(error instanceof ObjectQueryError)) throw error
    const { parameter = '', ...others } = error.parameters
    const reason = others['reason'] ?? `${error.errorName} ${JSON.stringify(others)}`
    throw new Error(`the policy is invalid: ${parameter} ${reason}`.replace('  ', ' '))
  }
}

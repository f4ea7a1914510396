import type { Command } from 'commander'
import type { ReadPolicyContext } from '../../access/policies/stored-policies.ts'
import { countOf } from '../../contract/count-of.ts'
import type { ObjectStore } from '../../store/object-store.ts'
import { writeOut, writeRows } from '../output.ts'
import { readJsonFile } from '../read-definition.ts'
import { addExamples } from '../service-options.ts'
import { recordCommand, withStore } from '../store-commands.ts'

/** Adds `oqs policy`. Policies are in the store; a running service sees changes at once. */
export function addPolicyCommand(program: Command): void {
  const policy = program
    .command('policy')
    .description('Save, list, show and delete policies, which limit what tokens may see and do.')
  addExamples(policy, 'oqs policy list', 'oqs policy show sales')

  addExamples(
    policy
      .command('apply')
      .description('Create or replace a policy.')
      .argument('<file>', 'policy as JSON; - reads standard input'),
    'oqs policy apply sales.json',
  ).action(applyFile)

  addExamples(policy.command('list').description('List all policies.'), 'oqs policy list').action(
    listAll,
  )

  addExamples(
    policy.command('show <name>').description('Show a policy as JSON.'),
    'oqs policy show sales',
  ).action(showOne)

  addExamples(
    policy
      .command('delete <name>')
      .description('Delete a policy. Tokens and clients that name it lose its rights.'),
    'oqs policy delete interns',
  ).action(deleteOne)
}

type PolicyCommands = typeof import('../../access/policies/stored-policies.ts')

/** Runs a command that checks policies as the service with these settings does. */
async function withPolicies(
  work: (store: ObjectStore, policies: PolicyCommands, context: ReadPolicyContext) => Promise<void>,
): Promise<void> {
  const [policies, { claimNames }, { queryLimitsOf }, { INTERNAL_CONTEXT }] = await Promise.all([
    import('../../access/policies/stored-policies.ts'),
    import('../../access/policies/policy.ts'),
    import('../../server/query-limits.ts'),
    import('../../store/port/request-context.ts'),
  ])
  const { callerId } = INTERNAL_CONTEXT
  await withStore((store, config) =>
    work(store, policies, async (rights) => ({
      catalogue: await store.readCatalogue({ named: rights, callerId }),
      limits: queryLimitsOf(config),
      claims: claimNames(config.OQS_OIDC_RULE_CLAIMS ?? []),
    })),
  )
}

async function applyFile(file: string): Promise<void> {
  const json = await readJsonFile(file)
  const { applyPolicy } = await import('../../access/policies/stored-policies.ts')
  await withPolicies(async (store, _, context) => {
    const { name, rights } = await applyPolicy(store.documents, json, context)
    await recordCommand(store, 'savePolicy', [name])
    await writeOut(`applied ${name}: ${countOf(rights.length, 'right')}\n`)
  })
}

async function listAll(): Promise<void> {
  await withPolicies(async (store, { listPolicies }, context) => {
    const policies = await listPolicies(store.documents, context, Date.now())
    await writeRows(
      policies.map(({ name, rights, problem = '' }) => ({
        name,
        rights: String(rights.length),
        ontologies: [...new Set(rights.map(({ ontology }) => ontology))].join(' '),
        problem,
      })),
    )
  })
}

async function showOne(name: string): Promise<void> {
  await withPolicies(async (store, { findPolicy }, context) => {
    const policy = await findPolicy(store.documents, name, context, Date.now()).catch(() => {
      throw unknownPolicy(name)
    })
    await writeOut(`${JSON.stringify(policy, null, 2)}\n`)
  })
}

async function deleteOne(name: string): Promise<void> {
  await withPolicies(async (store, { deletePolicy }) => {
    await deletePolicy(store.documents, name).catch(() => {
      throw unknownPolicy(name)
    })
    await recordCommand(store, 'deletePolicy', [name])
    await writeOut(`deleted ${name}\n`)
  })
}

function unknownPolicy(name: string): Error {
  return new Error(`there is no policy ${name}. List them with \`oqs policy list\`.`)
}

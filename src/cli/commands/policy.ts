import type { Command } from 'commander'
import type { CheckedPolicy, ReadPolicyContext } from '../../access/policies/stored-policies.ts'
import { countOf } from '../../contract/count-of.ts'
import type { Config } from '../../server/config.ts'
import type { ObjectStore } from '../../store/object-store.ts'
import { addFormOptions, chooseForm, type FormOptions, writeOut, writeRows } from '../output.ts'
import { readJsonFile } from '../read-definition.ts'
import { addExamples, addServiceOptions, type ServiceOptions } from '../service-options.ts'
import { administer, recordCommand } from '../store-commands.ts'

/** Adds `oqs policy`. Policies are in the store, whose services see changes at once. */
export function addPolicyCommand(program: Command): void {
  const policy = program
    .command('policy')
    .description('Save, list, show and delete policies, which limit what tokens may see and do.')
  addExamples(policy, 'oqs policy list', 'oqs policy show sales')

  const apply = policy
    .command('apply')
    .description('Create or replace a policy.')
    .argument('<file>', 'policy as JSON; - reads standard input')
  addExamples(addServiceOptions(apply), 'oqs policy apply sales.json').action(applyFile)

  const list = policy.command('list').description('List all policies.')
  addExamples(addServiceOptions(addFormOptions(list)), 'oqs policy list').action(listAll)

  const show = policy.command('show <name>').description('Show a policy as JSON.')
  addExamples(addServiceOptions(show), 'oqs policy show sales').action(showOne)

  const remove = policy
    .command('delete <name>')
    .description('Delete a policy. Tokens and clients that name it lose its rights.')
  addExamples(addServiceOptions(remove), 'oqs policy delete interns').action(deleteOne)
}

const PATH = '/api/admin/v1/policies'
const pathOf = (name: string) => `${PATH}/${encodeURIComponent(name)}`

async function applyFile(file: string, options: ServiceOptions): Promise<void> {
  const json = await readJsonFile(file)
  const { applyPolicy, parsePolicy } = await import('../../access/policies/stored-policies.ts')
  const policy = parsePolicy(json)
  const { name, ...body } = policy
  const { rights } = await administer<CheckedPolicy>(options, {
    onService: (connection) =>
      connection.send({ method: 'PUT', path: pathOf(name), json: body, isRepeatable: true }),
    onStore: async (store, config) => {
      await applyPolicy(store.documents, policy, await contextOf(store, config))
      await recordCommand(store, 'savePolicy', [name])
      return policy
    },
  })
  await writeOut(`applied ${name}: ${countOf(rights.length, 'right')}\n`)
}

async function listAll(options: ServiceOptions & FormOptions): Promise<void> {
  const policies = await administer<readonly CheckedPolicy[]>(options, {
    onService: async (connection) =>
      (await connection.send<{ data: readonly CheckedPolicy[] }>({ path: PATH })).data,
    onStore: async (store, config) => {
      const { listPolicies } = await import('../../access/policies/stored-policies.ts')
      return listPolicies(store.documents, await contextOf(store, config), Date.now())
    },
  })
  await writeRows(
    policies.map(({ name, rights, problem = '' }) => ({
      name,
      rights: String(rights.length),
      ontologies: [...new Set(rights.map(({ ontology }) => ontology))].join(' '),
      problem,
    })),
    chooseForm(options),
  )
}

async function showOne(name: string, options: ServiceOptions): Promise<void> {
  const policy = await administer<CheckedPolicy>(options, {
    onService: (connection) => connection.send({ path: pathOf(name) }),
    onStore: async (store, config) => {
      const { findPolicy } = await import('../../access/policies/stored-policies.ts')
      return findPolicy(store.documents, name, await contextOf(store, config), Date.now())
    },
  }).catch(explainUnknown(name))
  await writeOut(`${JSON.stringify(policy, null, 2)}\n`)
}

async function deleteOne(name: string, options: ServiceOptions): Promise<void> {
  await administer<void>(options, {
    onService: (connection) => connection.send({ method: 'DELETE', path: pathOf(name) }),
    onStore: async (store) => {
      const { deletePolicy } = await import('../../access/policies/stored-policies.ts')
      await deletePolicy(store.documents, name)
      await recordCommand(store, 'deletePolicy', [name])
    },
  }).catch(explainUnknown(name))
  await writeOut(`deleted ${name}\n`)
}

/** Returns what policies are checked against, as the service with these settings does. */
async function contextOf(store: ObjectStore, config: Config): Promise<ReadPolicyContext> {
  const [{ claimNames }, { queryLimitsOf }, { INTERNAL_CONTEXT }] = await Promise.all([
    import('../../access/policies/policy.ts'),
    import('../../server/query-limits.ts'),
    import('../../store/port/request-context.ts'),
  ])
  const { callerId } = INTERNAL_CONTEXT
  return async (rights) => ({
    catalogue: await store.readCatalogue({ named: rights, callerId }),
    limits: queryLimitsOf(config),
    claims: claimNames(config.OQS_OIDC_RULE_CLAIMS ?? []),
  })
}

/** Returns a handler that says what to do if there is no policy with a name. */
function explainUnknown(name: string) {
  return (error: unknown): never => {
    const { errorName } = error as { readonly errorName?: string }
    if (errorName !== 'PolicyNotFound') throw error
    throw new Error(`there is no policy ${name}. List them with \`oqs policy list\`.`)
  }
}

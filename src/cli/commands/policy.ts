import type { Command } from 'commander'
import { countOf } from '../../contract/count-of.ts'
import { addExamples } from '../examples.ts'
import { writeOut, writeRows } from '../output.ts'
import { readJsonFile } from '../read-definition.ts'
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

async function applyFile(file: string): Promise<void> {
  const json = await readJsonFile(file)
  const { applyPolicy, policyContext } = await import('../../server/policies.ts')
  await withStore(async (store, config) => {
    const { name, rights } = await applyPolicy(store, json, policyContext(store, config))
    await recordCommand(store, 'savePolicy', [name])
    await writeOut(`applied ${name}: ${countOf(rights.length, 'right')}\n`)
  })
}

async function listAll(): Promise<void> {
  const { listPolicies, policyContext } = await import('../../server/policies.ts')
  await withStore(async (store, config) => {
    const context = policyContext(store, config)
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
  const { findPolicy, policyContext } = await import('../../server/policies.ts')
  await withStore(async (store, config) => {
    const context = policyContext(store, config)
    const policy = await findPolicy(store.documents, name, context, Date.now()).catch(() => {
      throw unknownPolicy(name)
    })
    await writeOut(`${JSON.stringify(policy, null, 2)}\n`)
  })
}

async function deleteOne(name: string): Promise<void> {
  const { deletePolicy } = await import('../../server/policies.ts')
  await withStore(async (store) => {
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

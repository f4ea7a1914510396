/** `oqs context`: names for services, so that commands can be sent to any of them. */
import { type Command, InvalidArgumentError, Option } from 'commander'
import { findContext, readContexts, writeContexts } from '../contexts.ts'
import { addFormOptions, chooseForm, type FormOptions, writeOut, writeRows } from '../output.ts'
import { addExamples, parseText, parseUrl } from '../service-options.ts'

interface AddOptions {
  readonly url: string
  readonly token?: string
  readonly tokenFile?: string
}

export function addContextCommand(program: Command): void {
  const context = program
    .command('context')
    .description('Name services with their tokens, and choose which one commands talk to.')
  addExamples(
    context,
    'oqs context add prod --url https://objects.example.com --token-file prod.token',
    'oqs context list',
    'oqs context use prod',
  )

  const add = context
    .command('add')
    .description('Add a service, or change it. Only you can read the file with the tokens.')
    .argument('<name>', 'letters, digits, dots, dashes and underscores', parseName)
    .requiredOption('--url <url>', 'address of the service', parseUrl)
    .option('--token-file <file>', 'file with the bearer token; - reads standard input', parseText)
    .addOption(
      new Option('--token <token>', 'bearer token, visible to other users of the machine')
        .argParser(parseText)
        .conflicts('tokenFile'),
    )
  addExamples(
    add,
    'oqs context add prod --url https://objects.example.com --token-file prod.token',
  ).action(addContext)

  addExamples(
    addFormOptions(context.command('list').description('List the services, without their tokens.')),
    'oqs context list',
  ).action(listContexts)

  addExamples(
    context
      .command('use <name>')
      .description('Send commands that name no service to this one. They say so.'),
    'oqs context use prod',
  ).action(useContext)

  addExamples(
    context
      .command('reset')
      .description(
        'Send commands to the service of the settings again, on this machine by default.',
      ),
    'oqs context reset',
  ).action(async () => {
    const { contexts } = await readContexts()
    await writeContexts({ contexts })
    await writeOut('no current context\n')
  })

  addExamples(
    context.command('remove <name>').description('Forget a service and its token.'),
    'oqs context remove prod',
  ).action(removeContext)
}

async function addContext(name: string, { url, token, tokenFile }: AddOptions): Promise<void> {
  const secret = token ?? (tokenFile === undefined ? undefined : await readToken(tokenFile))
  const { contexts, ...rest } = await readContexts()
  const context = { url, ...(secret === undefined ? {} : { token: secret }) }
  await writeContexts({ ...rest, contexts: { ...contexts, [name]: context } })
  await writeOut(`added ${name}. Try it with \`oqs whoami --context ${name}\`.\n`)
}

async function readToken(file: string): Promise<string> {
  const { readText } = await import('../read-definition.ts')
  const token = (await readText(file)).trim()
  if (!/^[\x21-\x7e]+$/.test(token)) {
    throw new Error(`${file} does not contain a token: one line without spaces.`)
  }
  return token
}

async function listContexts(options: FormOptions): Promise<void> {
  const { current, contexts } = await readContexts()
  await writeRows(
    Object.entries(contexts).map(([name, { url, token }]) => ({
      name,
      url,
      token: token === undefined ? 'none' : 'kept',
      current: name === current ? 'yes' : '',
    })),
    chooseForm(options),
  )
}

async function useContext(name: string): Promise<void> {
  const contexts = await readContexts()
  const { url } = findContext(contexts, name)
  await writeContexts({ ...contexts, current: name })
  await writeOut(`commands now use ${name}: ${url}\n`)
}

async function removeContext(name: string): Promise<void> {
  const all = await readContexts()
  findContext(all, name)
  const { [name]: _, ...contexts } = all.contexts
  const { current } = all
  await writeContexts(
    current === undefined || current === name ? { contexts } : { current, contexts },
  )
  await writeOut(`removed ${name}\n`)
}

function parseName(name: string): string {
  if (/^[A-Za-z0-9][\w.-]{0,99}$/.test(name)) return name
  throw new InvalidArgumentError('Use letters, digits, dots, dashes and underscores.')
}

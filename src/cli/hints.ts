import { codeOf } from '../client/connection.ts'
import type { Remedy } from '../formats/remedy.ts'
import { describeRemedy } from './remedies.ts'
import type { UsedContext } from './service-address.ts'

/** What to do about an error of the service or the client, in terms of commands and options. */
const HINTS: Readonly<Record<string, string>> = {
  'Client:Unreachable': 'Start the service with `oqs serve`, or pass --url.',
  'Client:ConnectionLost': 'Check that the service is running.',
  'Client:InvalidResponse': 'Check --url.',
  MissingCredentials: 'Set OQS_TOKEN or pass --token; `oqs token create` creates a token.',
  'Default:Unauthorized': 'Check OQS_TOKEN or --token; `oqs token create` creates a token.',
  ApiUsageDenied: 'Create a token with the required scope: `oqs token create --scope`.',
  'Default:NotFound': 'Check --url.',
  OntologyNotFound: '`oqs ontology show` lists the ontologies.',
  ObjectTypeNotFound: '`oqs ontology show NAME` shows the object types.',
  PropertiesNotFound: '`oqs ontology show NAME` shows the properties.',
  VersionNotFound: 'Start a new export, without --resume.',
  ObjectsExceededLimit: '`oqs export` has no such limit.',
}

/** Hints by the code of the network error; other codes get the hint above. */
const CONNECTION_HINTS: readonly (readonly [code: RegExp, hint: string])[] = [
  [/^ERR_SSL_WRONG_VERSION_NUMBER$/, 'Write http:// in ADDRESS.'],
  [/^UND_ERR_SOCKET$/, 'If the service speaks HTTPS, write https:// in ADDRESS.'],
  [/^ERR_TLS_CERT_ALTNAME_INVALID$/, 'Use a host name of the certificate in ADDRESS.'],
  [
    /^(?:DEPTH_ZERO|SELF_SIGNED|UNABLE_TO)_/,
    'Set NODE_EXTRA_CA_CERTS to a file with the certificate, or with that of its authority.',
  ],
]

/** Hints for a command that has used a context. */
function contextHintFor(
  errorName: string,
  { name, url, isTokenUsed }: UsedContext,
): string | undefined {
  const add = `\`oqs context add ${name} --url`
  if (errorName === 'Client:Unreachable') {
    return `This is the address of the context ${name}; ${add} URL --token-file FILE\` changes it.`
  }
  if (!isTokenUsed) return undefined
  const change = `${add} ${url} --token-file FILE\``
  if (errorName === 'MissingCredentials') {
    return `The context ${name} has no token; ${change} adds one.`
  }
  if (errorName !== 'Default:Unauthorized') return undefined
  return `It is the token of the context ${name}; ${change} changes it.`
}

/** Returns the hint for an error, as a sentence to append to its message; empty without one. */
export function hintFor(error: unknown, context?: UsedContext): string {
  const { errorName = '', remedy } = error as { errorName?: string; remedy?: Remedy }
  if (remedy !== undefined) return `. ${describeRemedy(remedy)}`
  const isUnreachable = errorName === 'Client:Unreachable'
  const hint =
    (isUnreachable ? connectionHintFor(error, context) : undefined) ??
    (context && contextHintFor(errorName, context)) ??
    HINTS[errorName]
  return hint === undefined ? '' : ` ${hint}`
}

function connectionHintFor(error: unknown, context: UsedContext | undefined): string | undefined {
  const code = codeOf(error)
  const [, hint] = CONNECTION_HINTS.find(([pattern]) => pattern.test(code)) ?? []
  return hint?.replace('ADDRESS', context ? `the context ${context.name}` : 'OQS_URL or --url')
}

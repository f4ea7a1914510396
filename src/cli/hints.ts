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

/** Returns the hint for an error, as a sentence to append to its message; empty without one. */
export function hintFor(error: unknown): string {
  const hint = HINTS[(error as { errorName?: string }).errorName ?? '']
  return hint === undefined ? '' : ` ${hint}`
}

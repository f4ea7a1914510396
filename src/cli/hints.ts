/** What to do about an error of the service, in the words of the command line. */
const HINTS: Readonly<Record<string, string>> = {
  MissingCredentials: 'set OQS_TOKEN, or --token; `oqs token create` makes a token',
  'Default:Unauthorized': 'check OQS_TOKEN, or --token; `oqs token create` makes a token',
  ApiUsageDenied: '`oqs token create --scope` makes a token that may',
  'Default:NotFound': 'is --url right?',
  OntologyNotFound: '`oqs ontology show` lists the ontologies there are',
  ObjectTypeNotFound: '`oqs ontology show NAME` shows the object types',
  PropertiesNotFound: '`oqs ontology show NAME` shows the properties',
  VersionNotFound: 'export anew, without --resume',
  ObjectsExceededLimit: '`oqs export` has no such limit',
}

export function hintFor(error: unknown): string {
  const hint = HINTS[(error as { errorName?: string }).errorName ?? '']
  return hint === undefined ? '' : `; ${hint}`
}

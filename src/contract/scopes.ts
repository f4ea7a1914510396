/** The scopes of bearer tokens [5.2], each with what it allows. */
export const SCOPES = {
  'api:ontologies-read': 'read ontologies and objects',
  'api:ontologies-write': 'define ontologies and write objects',
  'api:metrics-read': 'read the metrics of the service',
  'api:audit-read': 'read the audit log',
  'api:admin': 'manage tokens, clients and policies, and see the state of the service',
} as const

export type Scope = keyof typeof SCOPES

export function isScope(text: string): text is Scope {
  return Object.hasOwn(SCOPES, text)
}

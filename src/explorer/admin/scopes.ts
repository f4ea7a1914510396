import { SCOPES, type Scope } from '../../contract/scopes.ts'

export const SCOPE_NAMES = Object.keys(SCOPES) as Scope[]

const SHORT: Readonly<Record<Scope, string>> = {
  'api:ontologies-read': 'read',
  'api:ontologies-write': 'write',
  'api:metrics-read': 'metrics',
  'api:audit-read': 'audit',
  'api:admin': 'administer',
}

/** Returns a scope in one word. */
export function scopeName(scope: string): string {
  return SHORT[scope as Scope] ?? scope
}

export function scopeMeaning(scope: Scope): string {
  return SCOPES[scope]
}

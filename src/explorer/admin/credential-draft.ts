/** The form that creates a token or a client, and its request. */
import { redirectUriMistake } from '../../contract/redirect-uri.ts'
import { SCOPES, type Scope } from '../../contract/scopes.ts'

export interface CredentialDraft {
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Undefined for all ontologies. */
  readonly ontologies: readonly string[] | undefined
  /** Undefined if it never expires. */
  readonly days: number | undefined
  /** For clients: whether the program cannot keep a secret. */
  readonly isPublic: boolean
  /** For clients: one URI a line. */
  readonly redirectUris: string
}

export const EMPTY_DRAFT: CredentialDraft = {
  name: '',
  scopes: ['api:ontologies-read'],
  ontologies: undefined,
  days: 90,
  isPublic: false,
  redirectUris: '',
}

/** The choices of the form. */
export const LIFETIMES: readonly (readonly [days: number | undefined, name: string])[] = [
  [1, '1 day'],
  [7, '7 days'],
  [30, '30 days'],
  [90, '90 days'],
  [365, '1 year'],
  [undefined, 'never'],
]

/** Returns what is still missing or wrong; undefined if the draft can be sent. */
export function mistakeOf(draft: CredentialDraft, isClient: boolean): string | undefined {
  const { name, scopes, ontologies, isPublic } = draft
  if (name.trim() === '') return 'Give it a name that says what it is for.'
  if (scopes.length === 0) return 'Choose at least one scope.'
  if (ontologies?.length === 0) return 'Choose at least one ontology, or all of them.'
  if (scopes.includes('api:admin') && ontologies !== undefined) {
    return 'The admin scope covers every ontology: choose all ontologies, or remove the scope.'
  }
  if (!isClient) return undefined
  const uris = linesOf(draft.redirectUris)
  if (isPublic && uris.length === 0) {
    return 'A program that cannot keep a secret needs an address that people return to.'
  }
  for (const uri of uris) {
    const mistake = redirectUriMistake(uri)
    if (mistake !== undefined) return `${uri} cannot be used: ${mistake}.`
  }
  return undefined
}

/** Returns the body of the request that creates it. */
export function bodyOf(
  draft: CredentialDraft,
  isClient: boolean,
): Readonly<Record<string, unknown>> {
  const { name, scopes, ontologies, days, isPublic } = draft
  return {
    name: name.trim(),
    scopes,
    ...(ontologies === undefined ? {} : { ontologies }),
    ...(days === undefined ? {} : { days }),
    ...(isClient ? { public: isPublic, redirectUris: linesOf(draft.redirectUris) } : {}),
  }
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
}

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

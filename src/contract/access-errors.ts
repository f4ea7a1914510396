/** The errors of authentication and authorisation: a part of the error catalogue. */
import type { CatalogueEntry } from './error-codes.ts'

export const ACCESS_ERRORS = {
  MissingCredentials: {
    errorCode: 'UNAUTHORIZED',
    description: 'The request has no Authorization header. Send a bearer token with every request.',
  },
  'Default:Unauthorized': {
    errorCode: 'UNAUTHORIZED',
    description: 'The bearer token is unknown, expired or revoked. Send a valid token.',
  },
  InvalidOneTimeCode: {
    errorCode: 'UNAUTHORIZED',
    description:
      'The one-time code is unknown, was used already or has expired. Each code works once; ask for a new one.',
  },
  ApiUsageDenied: {
    errorCode: 'PERMISSION_DENIED',
    description:
      'The bearer token does not allow this request; see the parameters. Use a token with the missing scope, ontology or right.',
  },
  ApiTokenNotFound: {
    errorCode: 'NOT_FOUND',
    description: 'There is no active API token with this id.',
  },
  PolicyNotFound: {
    errorCode: 'NOT_FOUND',
    description: 'There is no policy with this name.',
  },
  OAuthClientNotFound: {
    errorCode: 'NOT_FOUND',
    description: 'There is no OAuth client with this id.',
  },
} as const satisfies Record<string, CatalogueEntry>

/** API tokens, for the commands that manage them in the store. */
export {
  type ApiTokenSpec,
  createApiToken,
  revokeApiTokensNamed,
} from '../http/request/api-token.ts'

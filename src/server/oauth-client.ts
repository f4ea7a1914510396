/** OAuth clients, for the commands that manage them in the store. */
export {
  createOAuthClient,
  listOAuthClients,
  type OAuthClient,
  type OAuthClientSpec,
  revokeOAuthClients,
} from '../http/oauth/clients.ts'

import type { OpenIdTokens } from '../access/access-services.ts'
import { type Config, requireBothOrNeither } from './config.ts'

/** Opens the OpenID provider of the settings; undefined if there is none. */
export async function openIdProviderOf(
  config: Config,
  now: () => number,
): Promise<OpenIdTokens | undefined> {
  const { OQS_OIDC_ISSUER: issuer, OQS_OIDC_AUDIENCE: audience } = config
  requireBothOrNeither(config, 'OQS_OIDC_ISSUER', 'OQS_OIDC_AUDIENCE')
  if (issuer === undefined || audience === undefined) return undefined
  // Most services have no provider, and start faster without the library for signed tokens.
  const { OpenIdProvider } = await import('../access/openid/openid-provider.ts')
  return new OpenIdProvider({
    issuer,
    audience,
    algorithms: config.OQS_OIDC_ALGORITHMS,
    jwksUrl: config.OQS_OIDC_JWKS_URL,
    scopeClaim: config.OQS_OIDC_SCOPE_CLAIM,
    scopes: config.OQS_OIDC_SCOPES,
    ontologyClaim: config.OQS_OIDC_ONTOLOGY_CLAIM,
    policyClaim: config.OQS_OIDC_POLICY_CLAIM,
    ruleClaims: config.OQS_OIDC_RULE_CLAIMS ?? [],
    now,
  })
}

/** The paths of OAuth, which the official SDKs expect below `/multipass`. */
export const TOKEN_PATH = '/multipass/api/oauth2/token'
export const REVOKE_PATH = '/multipass/api/oauth2/revoke_token'
export const AUTHORIZE_PATH = '/multipass/api/oauth2/authorize'

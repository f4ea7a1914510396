/** An OpenID provider on a free port: discovery, keys and tokens. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose'

type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey']

export interface OpenIdIssuer extends AsyncDisposable {
  readonly url: string
  /** How often the keys were requested. */
  readonly keyRequests: () => number
  /** Whether requests get an error. */
  isDown: boolean
  /** The issuer in the discovery document, if it is not the URL. */
  discoveredIssuer: string | undefined
  /** The number of spaces before the keys. */
  keyPadding: number
  /** Withdraws the current key and signs with a new one. */
  rotateKey(): Promise<void>
  sign(claims: JWTPayload, options?: SignOptions): Promise<string>
}

interface SignOptions {
  readonly algorithm?: string
  /** A key of somebody else, under the name of the current one. */
  readonly key?: PrivateKey | Uint8Array
  readonly keyId?: string
}

export async function startIssuer(): Promise<OpenIdIssuer> {
  let keyNumber = 0
  let keys: { privateKey: PrivateKey; jwk: JWK }
  let requests = 0
  const createKey = async () => {
    keyNumber += 1
    const { privateKey, publicKey } = await generateKeyPair('ES256')
    const jwk = { ...(await exportJWK(publicKey)), kid: `key-${keyNumber}`, alg: 'ES256' }
    keys = { privateKey, jwk }
  }
  await createKey()
  const server = createServer((request, response) => {
    const isKeys = request.url === '/keys'
    if (isKeys) requests += 1
    const { url } = issuer
    const body = isKeys
      ? { keys: [keys.jwk] }
      : { issuer: issuer.discoveredIssuer ?? url, jwks_uri: `${url}/keys` }
    response.writeHead(issuer.isDown ? 503 : 200, { 'content-type': 'application/json' })
    response.end(' '.repeat(isKeys ? issuer.keyPadding : 0) + JSON.stringify(body))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const issuer: OpenIdIssuer = {
    url: `http://127.0.0.1:${port}`,
    keyRequests: () => requests,
    isDown: false,
    discoveredIssuer: undefined,
    keyPadding: 0,
    rotateKey: createKey,
    sign: (claims, { algorithm = 'ES256', key = keys.privateKey, keyId } = {}) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: algorithm, kid: keyId ?? String(keys.jwk.kid) })
        .sign(key),
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
  return issuer
}

/** The certificate and the private key of HTTPS, read from files and checked before use. */
import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import type { Server } from 'node:http'
import { createSecureContext, Server as TlsServer } from 'node:tls'
import { type Config, ConfigError, requireBothOrNeither } from './config.ts'
import type { Log } from './log.ts'

export interface TlsFiles {
  readonly cert: Buffer
  readonly key: Buffer
}

type TlsSettings = Pick<Config, 'OQS_TLS_CERT' | 'OQS_TLS_KEY'>

/** Reads the files that the settings name; undefined without TLS. Throws if they cannot be used. */
export function readTlsFiles(settings: TlsSettings, nowMs: number): TlsFiles | undefined {
  const { OQS_TLS_CERT: certPath, OQS_TLS_KEY: keyPath } = settings
  requireBothOrNeither(settings, 'OQS_TLS_CERT', 'OQS_TLS_KEY')
  if (certPath === undefined || keyPath === undefined) return undefined
  const cert = readPem('OQS_TLS_CERT', certPath)
  const key = readPem('OQS_TLS_KEY', keyPath)
  const certificate = parse('OQS_TLS_CERT', certPath, 'a certificate in PEM format', () => {
    return new X509Certificate(cert)
  })
  const privateKey = parse('OQS_TLS_KEY', keyPath, 'a private key in PEM format', () => {
    return createPrivateKey(key)
  })
  checkPair({ certPath, keyPath, certificate, privateKey }, nowMs)
  // OpenSSL refuses more than the checks above, such as keys that are too short.
  parse('OQS_TLS_CERT', certPath, 'a certificate that TLS can use', () => {
    return createSecureContext({ cert, key })
  })
  return { cert, key }
}

interface Pair {
  readonly certPath: string
  readonly keyPath: string
  readonly certificate: X509Certificate
  readonly privateKey: KeyObject
}

function checkPair({ certPath, keyPath, certificate, privateKey }: Pair, nowMs: number): void {
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new ConfigError(
      `OQS_TLS_KEY is ${JSON.stringify(keyPath)}, which is not the key of the certificate ${JSON.stringify(certPath)}`,
    )
  }
  const { validToDate, validFromDate } = certificate
  if (validToDate.getTime() <= nowMs) {
    const since = validToDate.toISOString()
    throw new ConfigError(
      `OQS_TLS_CERT is ${JSON.stringify(certPath)}, which expired at ${since}. Renew the certificate.`,
    )
  }
  if (validFromDate.getTime() > nowMs) {
    const from = validFromDate.toISOString()
    throw new ConfigError(
      `OQS_TLS_CERT is ${JSON.stringify(certPath)}, which is not valid before ${from}. Check the clock of this machine.`,
    )
  }
}

function readPem(name: keyof TlsSettings, path: string): Buffer {
  try {
    return readFileSync(path)
  } catch (error) {
    const reason = (error as Error).message
    throw new ConfigError(`${name} is ${JSON.stringify(path)}, which cannot be read: ${reason}`)
  }
}

function parse<T>(name: keyof TlsSettings, path: string, expected: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    const reason = (error as Error).message
    throw new ConfigError(`${name} is ${JSON.stringify(path)}, which is not ${expected}: ${reason}`)
  }
}

/**
 * Reads the certificate and the key of a running server again. New connections use them; open ones
 * are kept. If they cannot be used, the server keeps what it has. Returns false without TLS.
 */
export function reloadCertificate(
  server: Server,
  config: Config,
  { log, now }: { readonly log: Log; readonly now: () => number },
): boolean {
  if (!(server instanceof TlsServer)) return false
  try {
    const files = readTlsFiles(config, now())
    if (files === undefined) return false
    server.setSecureContext(files)
    log({ event: 'certificateReloaded' })
  } catch (error) {
    log({ event: 'certificateReloadFailed', reason: (error as Error).message })
  }
  return true
}

import type { Server } from 'node:http'
import { Server as TlsServer } from 'node:tls'
import type { Config } from './config.ts'
import type { Log } from './log.ts'
import { readTlsFiles } from './tls-files.ts'

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

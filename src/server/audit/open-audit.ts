/** Opens the audit log from the settings. */
import type { AuditLog } from '../../store/object-store.ts'
import { type Config, ConfigError } from '../config.ts'
import type { Log } from '../log.ts'
import { AuditLines, STANDARD_OUTPUT } from './audit-lines.ts'
import { AuditWriter } from './audit-writer.ts'

/** Opens the file of the audit log; undefined if there is none. Throws if it cannot be written. */
export function openAuditLines(
  { OQS_AUDIT, OQS_AUDIT_FILE: path }: Config,
  log: Log,
): AuditLines | undefined {
  if (OQS_AUDIT === 'off' || path === undefined) return undefined
  try {
    return new AuditLines(path, (error) => log({ event: 'auditFailed', error }))
  } catch (error) {
    const { message } = error as Error
    const advice = `Name a file that the service can write, or ${STANDARD_OUTPUT} for standard output.`
    throw new ConfigError(`OQS_AUDIT_FILE is ${JSON.stringify(path)}: ${message}. ${advice}`, {
      cause: error,
    })
  }
}

/** Returns the writer of the audit log; undefined if it is off. */
export function openAuditWriter(
  { OQS_AUDIT: level }: Config,
  store: { readonly audit: AuditLog },
  lines: AuditLines | undefined,
  log: Log,
): AuditWriter | undefined {
  return level === 'off' ? undefined : new AuditWriter({ level, store, lines, log })
}

/**
 * Fits the number of connections to the descriptors that the process may open. Without one, a
 * connection cannot be accepted, and none makes room: the system resets every new connection.
 */
import { RESERVED_DESCRIPTORS } from '../contract/limits.ts'
import type { Config } from './config.ts'
import type { ServerEvent } from './log.ts'

/** Returns the settings with fewer connections, and reports it, if not all of them would fit. */
export function fitConnections(
  config: Config,
  report: (event: ServerEvent) => void,
  descriptors = descriptorLimit(),
): Config {
  const connections = Math.max(1, descriptors - RESERVED_DESCRIPTORS)
  if (config.OQS_MAX_CONNECTIONS <= connections) return config
  report({ event: 'connectionsReduced', connections, descriptors })
  return { ...config, OQS_MAX_CONNECTIONS: connections }
}

/** Returns how many descriptors the process may open, after Node.js has raised its soft limit. */
function descriptorLimit(): number {
  // Otherwise the report looks up the names of all peers. The types of Node.js lack this member.
  Object.assign(process.report, { excludeNetwork: true })
  const { userLimits } = process.report.getReport() as {
    readonly userLimits?: { readonly open_files?: { readonly soft: number | 'unlimited' } }
  }
  const soft = userLimits?.open_files?.soft
  // Windows has no such limit.
  return typeof soft === 'number' ? soft : Infinity
}

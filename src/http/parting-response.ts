import { ServerResponse } from 'node:http'

/**
 * Responses that tell their client to use the connection no more, from the moment the service is
 * stopping: also those of requests that were under way, whoever writes their head.
 */
export function partingResponses(isStopping: () => boolean): typeof ServerResponse {
  return class PartingResponse extends ServerResponse {
    override writeHead(...head: [status: number, ...rest: never[]]): this {
      if (isStopping()) this.shouldKeepAlive = false
      return super.writeHead(...head)
    }
  } as typeof ServerResponse
}

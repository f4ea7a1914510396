import { Agent } from 'node:http'
import { ownMegabytes } from '../bench/memory.ts'
import type { SizedService } from './cases.ts'
import { listPage, readNextToken } from './requests.ts'

/** Many readers at once, each on a walk of its own, while the memory of the service is watched. */

const READERS = 32
const PAGE_SIZE = 1000

/** The most memory of its own that the service had, in MB. */
export async function peakMegabytes(
  { service, places }: SizedService,
  pagesPerReader: number,
): Promise<number> {
  const agent = new Agent({ keepAlive: true, maxSockets: READERS })
  const target = { ...service, agent }
  let most = 0
  const walk = async (_: unknown, reader: number) => {
    let token = places.all[Math.floor((reader * places.all.length) / READERS)]
    for (let page = 0; page < pagesPerReader; page++) {
      // At the end of the type a reader begins again.
      token = await readNextToken(target, listPage(PAGE_SIZE, 'default', token))
      most = Math.max(most, ownMegabytes(service.pid) ?? 0)
    }
  }
  await Promise.all(Array.from({ length: READERS }, walk))
  agent.destroy()
  return most
}

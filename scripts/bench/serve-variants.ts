/**
 * Runs several services with different settings in one process, so that they are compiled and laid
 * out in memory alike. Prints their addresses in order.
 *
 * Argument: a JSON array with the settings of each service; those of the environment apply to all.
 */
import { readConfig } from '../../src/server/config.ts'
import { startServer } from '../../src/server/server.ts'

const [variants = '[]'] = process.argv.slice(2)
const urls: string[] = []
for (const settings of JSON.parse(variants) as Record<string, string>[]) {
  const config = readConfig({ ...process.env, ...settings })
  const { url } = await startServer(config, { log: () => {} })
  urls.push(url)
}
process.stdout.write(`listening on ${urls.join(' ')}\n`)
process.once('SIGTERM', () => process.exit())

/** Commands that open the store themselves. */
import type { Config } from '../server/config.ts'
import type { ObjectStore } from '../store/object-store.ts'

/** Runs a command on the store of the settings, which must exist. */
export async function withStore(
  work: (store: ObjectStore, config: Config) => Promise<void>,
): Promise<void> {
  const [{ readConfig }, { openExistingStore }] = await Promise.all([
    import('../server/config.ts'),
    import('../server/open-store.ts'),
  ])
  const config = readConfig(process.env)
  await using store = await openExistingStore(config.OQS_STORE).catch((error: Error) => {
    // Other commands use OQS_URL, so its user may expect the same here.
    if (process.env['OQS_URL']) error.message += HINT
    throw error
  })
  await work(store, config)
}

const HINT =
  ' Token, client and policy commands open the store in OQS_STORE and do not use OQS_URL.'

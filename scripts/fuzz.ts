/** Sends random requests, files and page tokens; see the help. */
import { fuzzHttp } from './fuzz/http.ts'
import {
  chosenStores,
  runScript,
  STORE_FLAGS,
  STORE_HELP,
  TEXT,
  wholeNumber,
} from './measure/command-line.ts'
import { openWorkspace } from './measure/workspace.ts'

await runScript({
  name: 'fuzz',
  help: `${STORE_HELP}`,
  options: { ...STORE_FLAGS, requests: TEXT, seed: TEXT, collect: TEXT },
  async run({ requests, seed, collect, ...stores }) {
    using workspace = openWorkspace()
    let passed = true
    for (const store of chosenStores(stores)) {
      const run = {
        seed: wholeNumber('--seed', seed, { min: 0, usual: 1 }),
        requests: wholeNumber('--requests', requests, { min: 0, usual: 50_000 }),
        collect,
      }
      passed = (await fuzzHttp(workspace, store, run)) && passed
    }
    return passed
  },
})

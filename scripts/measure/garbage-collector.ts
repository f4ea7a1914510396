/** Loaded into a service: collects all garbage when it is told to, so that its memory can be compared. */
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect = runInNewContext('gc') as (options: object) => void

process.on('message', () => {
  collect({ type: 'major', execution: 'sync', flavor: 'last-resort' })
  process.send?.('collected')
})

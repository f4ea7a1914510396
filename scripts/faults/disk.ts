/** Fills the disk of a service. */
import { fillDisk } from '../../test/support/full-disk.ts'
import type { Part } from '../measure/command.ts'

export const disk: Part<Record<string, never>> = {
  about: `Fills the disk of a service on SQLite. Writes must be rejected with 503, and the file must stay
undamaged.`,
  full: {},
  stores: ['SQLite'],
  async run({ print }) {
    const { refused, acknowledged, left, added } = await fillDisk()
    if (refused.status !== 503 || left !== acknowledged || added !== 200) {
      throw new Error(`the full disk: ${JSON.stringify({ refused, acknowledged, left, added })}`)
    }
    print(`A full disk: 503, "${refused.reason}"; all ${left} acknowledged objects are left.`)
    return []
  },
}

import type { Command } from 'commander'
import { readConfig, settingsInForce } from '../../server/config.ts'
import { SETTINGS, type Setting } from '../../server/settings.ts'
import { writeRows } from '../output.ts'

export function addConfigCommand(program: Command): void {
  program
    .command('config')
    .description('Show every setting, its value and where the value comes from.')
    .action(() => {
      const rows = settingsInForce(process.env).map(({ name, text, source }) => {
        const setting: Setting<unknown> = SETTINGS[name]
        const value = text !== undefined && setting.secret ? '[secret]' : (text ?? '')
        return { setting: name, value, source, meaning: setting.meaning }
      })
      writeRows(rows)
      // Shown first, complained about after: a wrong value is easier to mend when it is seen.
      readConfig(process.env)
    })
}

import type { Command } from 'commander'
import type { Setting } from '../../server/settings.ts'
import { addExamples } from '../examples.ts'
import { writeRows } from '../output.ts'

export function addConfigCommand(program: Command): void {
  const config = program
    .command('config')
    .description('Show every setting, its value and where the value comes from.')
  addExamples(config, 'oqs config', 'OQS_PORT=9090 oqs config').action(async () => {
    const [{ readConfig, settingsInForce }, { SETTINGS, shownText }] = await Promise.all([
      import('../../server/config.ts'),
      import('../../server/settings.ts'),
    ])
    const rows = settingsInForce(process.env).map(({ name, text, source }) => {
      const setting: Setting<unknown> = SETTINGS[name]
      const value = text === undefined ? '' : shownText(setting, text)
      return { setting: name, value, source, meaning: setting.meaning }
    })
    await writeRows(rows)
    // Shown first, complained about after: a wrong value is easier to mend when it is seen.
    readConfig(process.env)
  })
}

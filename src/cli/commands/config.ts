import type { Command } from 'commander'
import type { Setting } from '../../server/settings.ts'
import { addExamples } from '../examples.ts'
import { tell, writeRows } from '../output.ts'

export function addConfigCommand(program: Command): void {
  const config = program
    .command('config')
    .description('Show every setting, its value and where that comes from; fail if one is wrong.')
  addExamples(config, 'oqs config', 'OQS_PORT=9090 oqs config').action(async () => {
    const [
      { ConfigError, settingsInForce, whatIsWrong },
      { misspeltSettings },
      { SETTINGS, shownText },
    ] = await Promise.all([
      import('../../server/config.ts'),
      import('../../server/misspelt-settings.ts'),
      import('../../server/settings.ts'),
    ])
    const configured = settingsInForce(process.env)
    const wrong = configured.flatMap((one) => whatIsWrong(one) ?? [])
    // Where the output is cut, such as by head, the status still tells.
    if (wrong.length > 0) process.exitCode = 1
    const rows = configured.map((one) => {
      const { name, text, source } = one
      const setting: Setting<unknown> = SETTINGS[name]
      const value = text === undefined ? '' : shownText(setting, text)
      const check = whatIsWrong(one) === undefined ? 'ok' : `wrong: must be ${setting.allowed}`
      return { setting: name, value, source, check, meaning: setting.meaning }
    })
    await writeRows(rows)
    for (const { name, meant } of misspeltSettings(process.env)) {
      tell(`${name} is set, but there is no such setting; was ${meant} meant?`)
    }
    // Shown first, complained about after: a wrong value is easier to mend when it is seen.
    if (wrong.length > 0) throw new ConfigError(wrong.join('; '))
  })
}

/** The switch for keys that are single letters. People who dictate need to turn them off. */

const KEY = 'oqs.letters'

export function areLettersOn(): boolean {
  return localStorage.getItem(KEY) !== 'off'
}

export function switchLetters(isOn: boolean): void {
  if (isOn) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, 'off')
}

/** True if a key is not ours: it belongs to a text that is being written, or letters are off. */
export function isTyping({ target, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean {
  if (ctrlKey || metaKey || altKey || !areLettersOn()) return true
  // A dialog lies over the screen: its keys are not for what is behind it.
  return target instanceof HTMLElement && target.closest('input, select, textarea, dialog') !== null
}

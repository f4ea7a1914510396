/** The switch for keys that are single letters. People who dictate need to turn them off. */

const KEY = 'oqs.letters'

export function areLettersOn(): boolean {
  return localStorage.getItem(KEY) !== 'off'
}

export function switchLetters(isOn: boolean): void {
  if (isOn) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, 'off')
}

/** Whether single letters do something. They can be switched off, for people who speak to type. */

const KEY = 'oqs.letters'

export function areLettersOn(): boolean {
  return localStorage.getItem(KEY) !== 'off'
}

export function switchLetters(isOn: boolean): void {
  if (isOn) localStorage.removeItem(KEY)
  else localStorage.setItem(KEY, 'off')
}

/** Numbers of things in messages. */

/** `1,234` */
export function formatCount(count: number): string {
  return count.toLocaleString('en-US')
}

/** `1 object`, `2 objects` */
export function countOf(count: number, noun: string): string {
  return `${formatCount(count)} ${noun}${count === 1 ? '' : 's'}`
}

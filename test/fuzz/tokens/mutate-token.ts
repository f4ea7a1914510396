/** Changes page tokens the way an attacker would. */
import type { Random } from '../random.ts'

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
const FOREIGN = ['+', '/', '=', ' ', '.', '%', '\0', '\n', 'é', '\u{1f600}']
const PREFIX = 'v1.'

/** Offsets of the parts of a token: format, key id, salt, nonce, sealed state. */
const PARTS = [0, 1, 5, 21, 33] as const

/** Returns a changed token; it can by chance equal the original. */
export function mutateToken(token: string, others: readonly string[], random: Random): string {
  switch (random.below(10)) {
    case 0:
      return replaceAt(token, random.below(token.length), random.pick([...ALPHABET]))
    case 1:
      return replaceAt(token, random.below(token.length), random.pick(FOREIGN))
    case 2:
      return token.slice(0, random.below(token.length))
    case 3:
      return token + random.pick([...ALPHABET, ...FOREIGN]).repeat(1 + random.below(40))
    case 4:
      return token.slice(random.below(token.length))
    case 5:
      return random.pick(['', 'v0.', 'v2.', 'V1.', ' v1.', 'v1.v1.']) + token.slice(PREFIX.length)
    case 6:
      return splice(token, random.pick(others), random)
    case 7:
      return respell(token, random)
    default:
      return flipBits(token, random)
  }
}

function replaceAt(text: string, at: number, character: string): string {
  return text.slice(0, at) + character + text.slice(at + 1)
}

/** Flips one to three bits of the decoded bytes. */
function flipBits(token: string, random: Random): string {
  const bytes = Buffer.from(token.slice(PREFIX.length), 'base64url')
  for (let count = 1 + random.below(3); count > 0; count -= 1) {
    const at = random.below(bytes.length)
    bytes[at] = (bytes[at] as number) ^ (1 << random.below(8))
  }
  return PREFIX + bytes.toString('base64url')
}

/** Combines the beginning of one token with the end of another, at a boundary of their parts. */
function splice(token: string, other: string, random: Random): string {
  const [own, foreign] = [token, other].map((one) =>
    Buffer.from(one.slice(PREFIX.length), 'base64url'),
  ) as [Buffer, Buffer]
  const at = random.chance(0.5) ? random.pick(PARTS) : random.below(own.length)
  const tail = random.chance(0.5) ? 16 : 0
  const bytes =
    tail === 0
      ? Buffer.concat([own.subarray(0, at), foreign.subarray(at)])
      : Buffer.concat([own.subarray(0, -tail), foreign.subarray(-tail)])
  return PREFIX + bytes.toString('base64url')
}

/** Writes the same bytes in another way, which a lenient decoder would accept. */
function respell(token: string, random: Random): string {
  const text = token.slice(PREFIX.length)
  switch (random.below(4)) {
    case 0:
      return `${token}=`
    case 1:
      return PREFIX + Buffer.from(text, 'base64url').toString('base64')
    case 2:
      return PREFIX + text.slice(0, 10) + random.pick(['\n', ' ', '\t']) + text.slice(10)
    default: {
      // The last character of some lengths has unused bits.
      const last = ALPHABET.indexOf(text.at(-1) ?? '')
      return token.slice(0, -1) + (ALPHABET[last ^ (1 << random.below(4))] ?? '')
    }
  }
}

/** Formats Parquet dates, times and decimals as exact text. */

import { decodeUtf8 } from '../utf8.ts'

/** `2024-02-29` */
export function dateText(days: number): string {
  const iso = isoText(days * 86_400_000)
  return iso === undefined ? `${days} days since 1970` : iso.slice(0, iso.indexOf('T'))
}

/** `2024-02-29T12:30:00.123456Z`: fraction digits in groups of three, without trailing zeros. */
export function timestampText(value: bigint, unitsPerSecond: bigint): string {
  const seconds = floorDivide(value, unitsPerSecond)
  const iso = isoText(Number(seconds) * 1000)
  // Outside the range of dates: a timestamp property refuses this text, and only this row.
  if (iso === undefined) return `${value}/${unitsPerSecond} seconds since 1970`
  return `${iso.slice(0, -5)}${fractionText(value - seconds * unitsPerSecond, unitsPerSecond)}Z`
}

/** `12:30:00.123456` */
export function timeOfDayText(value: bigint, unitsPerSecond: bigint): string {
  const seconds = floorDivide(value, unitsPerSecond)
  const parts = [seconds / 3600n, (seconds / 60n) % 60n, seconds % 60n]
  const clock = parts.map((part) => String(part).padStart(2, '0')).join(':')
  return clock + fractionText(value - seconds * unitsPerSecond, unitsPerSecond)
}

/** `-12.50` of -1250 with scale 2. */
export function decimalText(unscaled: bigint, scale: number): string {
  if (scale <= 0) return String(unscaled * 10n ** BigInt(-scale))
  const sign = unscaled < 0n ? '-' : ''
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0')
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`
}

/** Decodes a big-endian two's complement integer of any length. */
export function bigEndianInteger(bytes: Uint8Array): bigint {
  if (bytes.length === 0) return 0n
  const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, '0')).join('')
  return BigInt.asIntN(bytes.length * 8, BigInt(`0x${hex}`))
}

/** Decodes UTF-8 strictly, without replacement characters. */
export function utf8Text(bytes: Uint8Array): string {
  const text = decodeUtf8(bytes)
  if (text === undefined) throw new Error('it contains text that is not UTF-8')
  return text
}

export function jsonValue(bytes: Uint8Array): unknown {
  const text = utf8Text(bytes)
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('it contains text that is not JSON')
  }
}

function isoText(milliseconds: number): string | undefined {
  const date = new Date(milliseconds)
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString()
}

function fractionText(units: bigint, unitsPerSecond: bigint): string {
  if (units === 0n) return ''
  const digits = String(unitsPerSecond + units).slice(1)
  return `.${digits.replace(/(?:000)+$/, '')}`
}

function floorDivide(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor
  return value % divisor < 0n ? quotient - 1n : quotient
}

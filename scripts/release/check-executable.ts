/** Checks an executable by its bytes: those for other systems cannot be run where they are made. */
import { readFileSync } from 'node:fs'
import { FUSE } from './executable.ts'
import type { System } from './node-binary.ts'

/** The machine in the header of an executable: of the ELF format on Linux, of PE on Windows. */
const MACHINES: Readonly<Record<System, number>> = {
  'linux-arm64': 0xb7,
  'linux-x64': 0x3e,
  'win-x64': 0x8664,
}

/** Throws unless a file is an executable for a system, and holds a program. */
export function checkExecutable(file: string, system: System, blob: Buffer): void {
  const bytes = readFileSync(file)
  const machine = system === 'win-x64' ? machineOfPe(bytes) : machineOfElf(bytes)
  if (machine !== MACHINES[system]) throw new Error(`${file} is not an executable for ${system}`)
  if (!bytes.includes(`${FUSE}:1`) || !bytes.includes(blob))
    throw new Error(`${file} does not contain the program of the service`)
}

function machineOfElf(bytes: Buffer): number | undefined {
  return bytes.toString('latin1', 0, 4) === '\x7fELF' ? bytes.readUInt16LE(0x12) : undefined
}

function machineOfPe(bytes: Buffer): number | undefined {
  const header = bytes.toString('latin1', 0, 2) === 'MZ' ? bytes.readUInt32LE(0x3c) : 0
  return bytes.toString('latin1', header, header + 4) === 'PE\0\0'
    ? bytes.readUInt16LE(header + 4)
    : undefined
}

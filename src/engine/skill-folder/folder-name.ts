const maxLength = 64
/** What some systems take for a device. */
const devices = /^(?:con|prn|aux|nul|com\d|lpt\d)$/

/** Letters and digits of a name in lower case with hyphens between: a name for a folder on every system, never a path. */
function plainName(name: string): string {
  const plain = name
    .normalize('NFC')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]+/gu, '-')
    .replace(/^-|-$/g, '')
  const short = [...plain].slice(0, maxLength).join('').replace(/-$/, '')
  if (short === '') return 'skill'
  return devices.test(short) ? `${short}-skill` : short
}

/** A folder for each name, no two alike: later ones of equal names get a number. */
export function folderNames(names: readonly string[]): readonly string[] {
  const taken = new Set<string>()
  return names.map((name) => {
    const plain = plainName(name)
    let free = plain
    for (let i = 2; taken.has(free.normalize('NFKC')); i++) free = `${plain}-${i}`
    taken.add(free.normalize('NFKC'))
    return free
  })
}

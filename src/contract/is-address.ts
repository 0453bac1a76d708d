/** What names a store and no file. As the name of a file it would stand in a folder, with its password. */
export function isAddress(path: string): boolean {
  return /^(?:sqlite:|[a-z][a-z0-9+.-]+:\/\/)/i.test(path)
}

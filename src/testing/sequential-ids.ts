/** Makes ids for tests, in the form of a UUID and ascending, the same in every run: pass it to `openMemory({ ids })`. */
export function sequentialIds(): () => string {
  let last = 0
  return () => `00000000-0000-7000-8000-${(++last).toString(16).padStart(12, '0')}`
}

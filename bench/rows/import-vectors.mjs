// The same with the vectors in the file: nothing is embedded.
import { measureImport } from './import.mjs'

export const measure = (given) => measureImport(given, true)

/** What one look found. */
export interface Check {
  readonly name: string
  /** `note`: worth knowing, nothing to worry about. */
  readonly status: 'ok' | 'note' | 'problem'
  readonly message: string
  /** What to do. */
  readonly advice?: string
}

export const ok = (name: string, message: string): Check => ({ name, status: 'ok', message })
export const note = (name: string, message: string): Check => ({ name, status: 'note', message })

export function problem(name: string, message: string, advice?: string): Check {
  return { name, status: 'problem', message, ...(advice === undefined ? {} : { advice }) }
}

import { SetupError } from '../../errors/index.ts'

/** @param label what the text is called: a variable or an option. The text itself may hold a password. */
export function refuse(label: string, why: string): SetupError {
  return new SetupError({ code: 'BAD_CONFIG', message: `${label}: ${why}` })
}

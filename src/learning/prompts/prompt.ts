import { SetupError } from '../../errors/index.ts'
import { consolidatePrompt } from './consolidate.ts'
import { learnDecidePrompt } from './learn-decide.ts'
import { learnExtractPrompt } from './learn-extract.ts'
import { repairPrompt } from './repair.ts'
import { summarizePrompt } from './summarize.ts'

/** What a model is told to do. Never holds anything of a user: that comes framed, as data. */
export interface Prompt {
  /** For example `learn.extract`. */
  readonly name: string
  /** Moves with every change of the text, and is named beside what came of it. */
  readonly version: string
  readonly system: string
}

/** How a prompt is named beside what came of it: `learn.extract@1`. */
export function promptLabel({ name, version }: Pick<Prompt, 'name' | 'version'>): string {
  return `${name}@${version}`
}

/** A caller's own text for one of the prompts, with or without a version of their own. */
export type PromptReplacement = string | { readonly system: string; readonly version?: string | undefined }

/** Every prompt of mneme. A new one is a file here and a line in this list. */
const builtInPrompts = {
  [repairPrompt.name]: repairPrompt,
  [summarizePrompt.name]: summarizePrompt,
  [consolidatePrompt.name]: consolidatePrompt,
  [learnExtractPrompt.name]: learnExtractPrompt,
  [learnDecidePrompt.name]: learnDecidePrompt,
} as const

export type PromptName = keyof typeof builtInPrompts
export type Prompts = Readonly<Record<PromptName, Prompt>>

/**
 * The prompts of an engine: the built-in ones, with those that the caller wants otherwise (MOD-8).
 * @throws SetupError BAD_CONFIG for a prompt that does not exist or says nothing
 */
export function createPrompts(replacements: Readonly<Record<string, unknown>> = {}): Prompts {
  const prompts: Record<string, Prompt> = { ...builtInPrompts }
  for (const [name, given] of Object.entries(replacements)) {
    if (given === undefined) continue
    if (!Object.hasOwn(builtInPrompts, name)) {
      throw unusable(name, `there is no such prompt. There are: ${Object.keys(builtInPrompts).join(', ')}`)
    }
    const { system, version = 'custom' } = (
      typeof given === 'object' && given !== null ? given : { system: given }
    ) as {
      readonly system?: unknown
      readonly version?: unknown
    }
    if (typeof system !== 'string' || system.trim() === '') throw unusable(name, 'give the text of the prompt')
    if (typeof version !== 'string' || version === '') throw unusable(name, 'version must be a non-empty string')
    prompts[name] = { name, version, system }
  }
  return prompts as Prompts
}

function unusable(name: string, why: string): SetupError {
  const shown = JSON.stringify(name).slice(0, 80)
  return new SetupError({ code: 'BAD_CONFIG', message: `options.prompts: ${shown}: ${why}.` })
}

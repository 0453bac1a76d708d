export { frameData, quoteAnswer } from './frame-data.ts'
export {
  createPrompts,
  type Prompt,
  type PromptName,
  type PromptReplacement,
  type Prompts,
  promptLabel,
} from './prompt.ts'

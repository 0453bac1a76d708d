import type { Plan } from '../../engine/index.ts'
import type { ErrorCode } from '../../errors/index.ts'
import type { JsonObject } from '../../model/index.ts'

/** Codes of errors, and those that only tools have. */
export type MemoryToolCode = ErrorCode | 'CONFIRMATION_REQUIRED' | 'DECLINED' | 'UNEXPECTED'

/** What a call came to. `text` is for the model; the rest is for the program around it. */
export type MemoryToolResult =
  | {
      readonly ok: true
      /** A sentence, then one line of JSON an item. Nothing that was stored can look like anything but a value in it. */
      readonly text: string
      /** The lines of the text as objects. */
      readonly items: readonly JsonObject[]
    }
  | {
      readonly ok: false
      /** What failed and what to do now. Never a stack trace, nor what a memory says. */
      readonly text: string
      /** `CONFIRMATION_REQUIRED`: there is nobody to ask; `DECLINED`: the answer was no; `UNEXPECTED`: see `onError`. */
      readonly code: MemoryToolCode
      readonly items: readonly JsonObject[]
    }

/** A tool that a language model may call. */
export interface MemoryTool {
  readonly name: string
  /** For the model: what it does and when to use it. */
  readonly description: string
  /** A JSON Schema (2020-12) of an object; what it does not name is refused. */
  readonly parameters: JsonObject
  /** Whether no call changes what is remembered. */
  readonly readOnly: boolean
  /** Whether a call may change or remove what is there: then `confirm` is asked first. */
  readonly destructive: boolean
  /**
   * Runs the tool.
   * @param args an object, or the JSON text that a model wrote
   * @returns a failure too: only an aborted call throws, with the signal's reason
   */
  execute(args: unknown, options?: { readonly signal?: AbortSignal | undefined }): Promise<MemoryToolResult>
}

/** What is asked before something that is there is changed or removed. */
export interface ConfirmRequest {
  /** The name of the tool. */
  readonly tool: string
  /** As the model gave them, checked. */
  readonly args: JsonObject
  /** Exactly what would be written, record by record; a copy. */
  readonly plan: Plan
}

export interface MemoryToolOptions {
  /** Anything but `true` means no. Without it, what would change or remove something that is there is refused. */
  readonly confirm?: ((request: ConfirmRequest) => boolean | Promise<boolean>) | undefined
  /** Who acts, for the journal and the histories: 1..1024 characters. @default nobody is named */
  readonly actor?: string | undefined
  /** Hears what failed and is no error of mneme's, such as what `confirm` throws: the model is only told that something did. */
  readonly onError?: ((error: unknown, tool: string) => void) | undefined
}

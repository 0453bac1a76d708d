import type { TokenCounter } from '../../contract/index.ts'
import type { Filter, Kind } from '../../model/index.ts'
import type { ContextFormat, ContextSection, TokenProvider } from '../../text/index.ts'
import type { ReadScopeOptions } from './options.ts'
import type { Degradation } from './searching.ts'

export interface ContextOptions extends ReadScopeOptions {
  readonly budget?:
    | {
        /** The most that the text may count: a whole number from 0 on; 0 gives an empty text. @default 1200 */
        readonly tokens?: number | undefined
        /** Who counts: a provider such as `openai`, or a counter of your own. @default 'words' */
        readonly counter?: TokenCounter | TokenProvider | undefined
      }
    | undefined
  /** @default 'markdown' */
  readonly format?: ContextFormat | undefined
  /** False: without what is known by name about the user. @default true */
  readonly profile?: boolean | undefined
  /** Whether each memory has a label, `[1]`, to be cited by. @default true */
  readonly cite?: boolean | undefined
  /** The reader's time zone, an IANA name or an offset: times are shown as clocks there show them. @default 'UTC' */
  readonly zone?: string | undefined
  /** Only memories of these kinds. @default all but tools */
  readonly kinds?: readonly Kind[] | undefined
  readonly filter?: Filter | undefined
  readonly tags?: readonly string[] | undefined
  /** Only these sections; they share the budget. @default all */
  readonly sections?: readonly ContextSection[] | undefined
  /** 0..1; found memories below are left out. @default 0.1; 0 where there are no more than twelve to find: all are shown, best first (FED-19) */
  readonly minScore?: number | undefined
  /** Count the memories that are shown as used. @default true */
  readonly touch?: boolean | undefined
}

export interface ContextResult {
  /** Memories as one block, ready for a prompt; empty when there are none. */
  readonly text: string
  /** Of the text, by the counter of the budget. Never more than the budget. */
  readonly tokens: number
  /** Who counted: `words` too where the package for another provider is not installed. */
  readonly counter: { readonly name: string; readonly exact: boolean }
  /** What the text shows, in its order. */
  readonly items: readonly { readonly id: string; readonly label: string; readonly tokens: number }[]
  /** What was considered and left out. `untrusted`: a skill that nobody vouches for is no skill. */
  readonly omitted: readonly {
    readonly id: string
    readonly why: 'budget' | 'duplicate' | 'below threshold' | 'untrusted'
  }[]
  readonly degraded?: readonly Degradation[] | undefined
}

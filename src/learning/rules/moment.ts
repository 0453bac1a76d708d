/** When and where something was said: what `tomorrow` is counted from. */
export interface Moment {
  /** Epoch milliseconds. */
  readonly at: number
  /** IANA name or offset. */
  readonly zone: string
}

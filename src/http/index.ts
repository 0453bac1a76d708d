/** What embedders and language models behind HTTP have in common. */
export { backOff, longestPauseMs } from './back-off.ts'
export { type Connection, connectionTo, type Endpoint } from './connection.ts'
export { badOption, requireInteger, requireText } from './options.ts'
export { type HttpFailure, type Posted, parseRetryAfter, post, remedyFor, type Sending } from './post.ts'

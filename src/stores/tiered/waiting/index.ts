export { recordsIn } from './records-in.ts'
export { asideKind, type SetAside, setAside } from './set-aside.ts'
export { type Waiting, waitingRoom } from './waiting.ts'

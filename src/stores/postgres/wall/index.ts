export { checkForm, checkWall } from './check-wall.ts'
export { grantStatements, shown, wallForm, wallStatements } from './statements.ts'
export { checkSecret, createWall, padsOf, type Wall, wallKey } from './token.ts'

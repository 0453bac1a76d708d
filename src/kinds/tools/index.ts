export { argumentTexts, type NewTool, parseTool, spoken, type Tool, toolFromPayload } from './tool.ts'

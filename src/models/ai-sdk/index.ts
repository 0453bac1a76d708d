export { type AiSdkCall, type AiSdkModel, aiSdk } from './ai-sdk.ts'

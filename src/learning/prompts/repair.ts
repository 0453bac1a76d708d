/** Said once to a model whose answer could not be read or did not fit: what was wrong follows it. */
export const repairPrompt = {
  name: 'repair',
  version: '1',
  system:
    'Your answer could not be used. Answer the same request again, with what was asked for and nothing else: no explanation, no code ' +
    'fence. Leave out what you are not sure of. What was wrong:',
} as const

/** How each kind of memory lives. Pure functions on plain data: the engine's verbs carry out what they say. */
export {
  createPolicies,
  type KindPolicy,
  type KindPolicyInput,
  kindPoliciesSchema,
  type Policies,
  reliabilityAfter,
} from './policy.ts'
export {
  type Doomed,
  doomed,
  type ForgetSelection,
  forgettable,
  keepScore,
  type RetentionOptions,
} from './retention.ts'

import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { ruleSet } from '../src/cli/bench/rule-set.ts'
import { measureRules } from '../src/cli/bench/run-rules.ts'

const set = (name: string) =>
  ruleSet(readFileSync(fileURLToPath(new URL(`../bench/data/${name}.jsonl`, import.meta.url)), 'utf8'))

/** Floors of what was measured; precision of 0.95 is a promise. */
const files = [
  { name: 'rules-dev', turns: 400, precision: 0.98, recall: 0.97 },
  { name: 'rules-held-out', turns: 150, precision: 0.95, recall: 0.86 },
  { name: 'rules-adversary', turns: 150, precision: 0.95, recall: 0.85 },
  { name: 'rules-adversary-2', turns: 150, precision: 0.95, recall: 0.85 },
  { name: 'rules-checks', turns: 150, precision: 0.95, recall: 0.93 },
  { name: 'rules-adversary-3', turns: 100, precision: 0.95, recall: 0.93 },
  { name: 'rules-independent', turns: 150, precision: 0.98, recall: 0.93 },
  { name: 'rules-independent-2', turns: 150, precision: 0.98, recall: 0.84 },
  { name: 'rules-independent-3', turns: 150, precision: 0.98, recall: 0.73 },
  { name: 'rules-traps', turns: 200, precision: 0.98, recall: 0.91 },
  { name: 'rules-traps-2', turns: 120, precision: 0.95, recall: 0.82 },
  { name: 'rules-traps-3', turns: 150, precision: 0.95, recall: 0.88 },
  { name: 'rules-traps-4', turns: 150, precision: 0.95, recall: 0.92 },
  { name: 'rules-traps-5', turns: 150, precision: 0.95, recall: 0.93 },
  { name: 'rules-traps-6', turns: 150, precision: 0.95, recall: 0.93 },
  { name: 'rules-traps-7', turns: 80, precision: 0.95, recall: 0.8 },
  { name: 'rules-traps-8', turns: 100, precision: 0.98, recall: 0.93 },
  { name: 'rules-traps-9', turns: 80, precision: 0.98, recall: 0.98 },
  { name: 'rules-voices', turns: 200, precision: 0.98, recall: 0.88 },
  { name: 'rules-voices-2', turns: 120, precision: 0.98, recall: 0.68 },
  { name: 'rules-voices-3', turns: 120, precision: 0.98, recall: 0.78 },
  { name: 'rules-voices-4', turns: 120, precision: 0.98, recall: 0.95 },
  { name: 'rules-voices-5', turns: 80, precision: 0.98, recall: 0.84 },
  { name: 'rules-look-alikes', turns: 200, precision: 0.95, recall: 0.8 },
]

describe('rules on labelled turns', () => {
  it.each(files)(
    '[RUL-5] $name: what is learnt is right, and nothing that goes on is ended',
    ({ name, turns, precision, recall }) => {
      const labelled = set(name)
      const summary = measureRules(labelled)
      expect(labelled.turns.length).toBeGreaterThanOrEqual(turns)
      expect(summary.empty / summary.turns).toBeGreaterThanOrEqual(0.5)
      expect(summary.precision).toBeGreaterThanOrEqual(precision)
      expect(summary.recall).toBeGreaterThanOrEqual(recall)
      expect(summary.wronglyEnded).toBe(0)
    },
  )
})

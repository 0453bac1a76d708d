import { z } from 'zod'
import { extractByRules, type LearnedFact } from '../../learning/index.ts'
import { parseWith } from '../../model/index.ts'
import { type BenchOutput, readArguments, readText, share } from './bench-arguments.ts'
import { matchFacts, type TurnResult } from './match-facts.ts'
import { attributeNames } from './rule-attributes.ts'
import { type FactLabel, type RuleSet, ruleSet } from './rule-set.ts'
import { shortfalls } from './shortfalls.ts'

const rulesUsage = `mneme bench rules FILE

Reads labelled turns and says how much of what rules learn from them is right, and how much of what they teach is learnt.
FILE has JSON lines, with "text" for one turn of the user or "messages" for several:

  { "text": "I'm Ann and I live in Bonn.", "facts": [{ "attribute": "name", "value": "Ann" }, { "attribute": "home", "value": "Bonn" }] }
  { "messages": [{ "role": "user", "content": "I no longer work at Siemens." }], "facts": [{ "attribute": "employer", "value": "Siemens", "ended": true }] }
  { "text": "If I lived in Rome I'd be happy.", "facts": [] }

A message: role (user, assistant, system, tool), content, name?, at?, zone?. A fact: value, attribute?, about? (user, or a name), ended?,
alternatives? (other values that are right too), optional? (counts neither way). Facts are those that hold when all is said.
What ends without a label is wrong only where it would end what a label of its line says is true, be it learnt before in the line or not;
else it ends nothing and counts neither way, and how often that is is printed.
A label whose attribute is none of these is compared by its value alone, and the names are printed:

Attributes: ${attributeNames.join(', ')}, favorite.<what>

  --details            each wrong fact and each miss
  --min-precision X    exit 1 below
  --min-recall X       exit 1 below
  -o text|json         (default text)
`

const optionsSchema = z.strictObject({
  file: z.string('is missing: give the file after the name of the set'),
  details: z.boolean().default(false),
  'min-precision': share.optional(),
  'min-recall': share.optional(),
  output: z.enum(['text', 'json']).default('text'),
})
type Options = z.infer<typeof optionsSchema>

export interface RuleSummary {
  readonly turns: number
  /** Turns that teach nothing, and how many of them taught something all the same. */
  readonly empty: number
  readonly emptyWithFacts: number
  readonly labels: number
  readonly found: number
  readonly right: number
  readonly wrong: number
  readonly missed: number
  /** 1 where nothing was found, and recall where nothing was to be found (BEN-19). */
  readonly precision: number
  readonly recall: number
  /** About others than the user, where the file has no labels about others: neither right nor wrong. */
  readonly unjudged: number
  /** Ends without a label of what no label says is true: neither right nor wrong. */
  readonly unlabelledEnds: number
  /** Facts that were ended without being over, and those that would take the place of what is true. */
  readonly wronglyEnded: number
  readonly wronglyReplaced: number
  /** By attribute, as rules name it. */
  readonly attributes: readonly { readonly attribute: string; readonly right: number; readonly wrong: number }[]
  readonly results: readonly TurnResult[]
  /** Names that no attribute has: their labels were compared by value alone. */
  readonly unknownAttributes: readonly string[]
}

/** What rules learn from each turn of the set, compared with its labels. */
export function measureRules({ turns, unknownAttributes }: RuleSet): RuleSummary {
  // Where nothing is said of others, nobody has looked at what is true of them.
  const judgesOthers = turns.some(({ facts }) => facts.some(({ about }) => about !== 'user'))
  const results = turns.map((turn) =>
    matchFacts(turn, extractByRules(turn.messages, { now: turn.messages[0]!.at! }), judgesOthers),
  )
  const sum = (count: (result: TurnResult) => number) => results.reduce((all, result) => all + count(result), 0)
  const isEmpty = (i: number) => !turns[i]!.facts.some(({ optional }) => !optional)
  const [right, wrong, missed] = [sum((r) => r.right.length), sum((r) => r.wrong.length), sum((r) => r.missed.length)]
  return {
    turns: turns.length,
    empty: turns.filter((_, i) => isEmpty(i)).length,
    emptyWithFacts: results.filter((result, i) => isEmpty(i) && result.wrong.length > 0).length,
    labels: right + missed,
    found: right + wrong,
    right,
    wrong,
    missed,
    precision: right + wrong === 0 ? 1 : right / (right + wrong),
    recall: right + missed === 0 ? 1 : right / (right + missed),
    unjudged: sum((r) => r.unjudged.length),
    unlabelledEnds: sum((r) => r.unlabelledEnds.length),
    wronglyEnded: sum((r) => r.wrongEnds.length),
    wronglyReplaced: sum((r) => r.wrongReplacements.length),
    attributes: byAttribute(results),
    results,
    unknownAttributes,
  }
}

function byAttribute(results: readonly TurnResult[]): RuleSummary['attributes'] {
  const counts = new Map<string, { right: number; wrong: number }>()
  const count = (facts: readonly LearnedFact[], which: 'right' | 'wrong') => {
    for (const { attribute } of facts) {
      const name = attribute.split('.')[0]!
      const entry = counts.get(name) ?? { right: 0, wrong: 0 }
      entry[which]++
      counts.set(name, entry)
    }
  }
  for (const { right, wrong } of results) {
    count(right, 'right')
    count(wrong, 'wrong')
  }
  return [...counts]
    .map(([attribute, entry]) => ({ attribute, ...entry }))
    .sort((a, b) => (a.attribute < b.attribute ? -1 : 1))
}

const factLine = ({ effect, subject, attribute, value }: LearnedFact) =>
  `${effect === 'ends' ? 'ended ' : ''}${subject}.${attribute} = ${value}`
const labelLine = ({ ended, about, attribute, value }: FactLabel) =>
  `${ended ? 'ended ' : ''}${about}.${attribute ?? '*'} = ${value}`

function detailLines({ results }: RuleSummary): string[] {
  return results
    .filter(({ wrong, missed }) => wrong.length + missed.length > 0)
    .flatMap(({ id, line, wrong, missed }) => [
      `${id === `line ${line}` ? id : `line ${line} (${id})`}`,
      ...wrong.map((fact) => `  wrong   ${factLine(fact)}`),
      ...missed.map((label) => `  missed  ${labelLine(label)}`),
    ])
}

function textReport(summary: RuleSummary, details: boolean): string {
  const { turns, empty, emptyWithFacts, labels, found, right, wrong, missed, precision, recall } = summary
  return [
    ...(details ? [...detailLines(summary), ''] : []),
    `${turns} turns, of which ${empty} teach nothing; ${labels} facts to learn`,
    `${found} learnt: ${right} right, ${wrong} wrong; ${missed} missed; ${emptyWithFacts} turns that teach nothing taught something`,
    `wrongly ended ${summary.wronglyEnded}, wrongly replaced ${summary.wronglyReplaced}`,
    ...(summary.unjudged > 0
      ? [`${summary.unjudged} about others, not judged: the file labels nothing about others`]
      : []),
    ...(summary.unlabelledEnds > 0 ? [`${summary.unlabelledEnds} ends of what no label says is true, not judged`] : []),
    ...(summary.unknownAttributes.length > 0
      ? [`compared by value alone, as the attribute is not known: ${summary.unknownAttributes.join(', ')}`]
      : []),
    `precision ${precision.toFixed(4)}, recall ${recall.toFixed(4)}`,
    '',
  ].join('\n')
}

function jsonReport({ results, ...summary }: RuleSummary): string {
  const details = results
    .filter(({ wrong, missed }) => wrong.length + missed.length > 0)
    .map(({ id, line, wrong, missed }) => ({
      id,
      line,
      wrong: wrong.map(({ subject, attribute, value, effect, content }) => ({
        about: subject,
        attribute,
        value,
        effect,
        content,
      })),
      missed: missed.map(({ about, attribute, value, ended }) => ({ about, attribute, value, ended })),
    }))
  return `${JSON.stringify({ ...summary, details })}\n`
}

function readOptions(args: readonly string[]): Options | null {
  const text = { type: 'string' } as const
  const given = readArguments(args, ['file'], {
    details: { type: 'boolean' },
    'min-precision': text,
    'min-recall': text,
  })
  return given && parseWith(optionsSchema, given, 'bench')
}

/** Runs `mneme bench rules`. @returns the exit code: 1 when a bound that was given is not reached. @throws InputError */
export async function runRules(args: readonly string[], io: BenchOutput): Promise<number> {
  const options = readOptions(args)
  if (options === null) {
    io.stdout.write(rulesUsage)
    return 0
  }
  const summary = measureRules(ruleSet(await readText(options.file)))
  io.stdout.write(options.output === 'json' ? jsonReport(summary) : textReport(summary, options.details))
  const short = shortfalls([
    { name: 'precision', value: summary.precision, least: options['min-precision'] },
    { name: 'recall', value: summary.recall, least: options['min-recall'] },
  ])
  for (const line of short) io.stderr.write(`${line}\n`)
  return short.length === 0 ? 0 : 1
}

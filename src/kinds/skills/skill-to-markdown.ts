import type { Skill } from './skill.ts'

/** The headings of a body and their order; `skillFromMarkdown` reads what stands under them. */
export const headings = {
  trigger: 'When to use',
  preconditions: 'Preconditions',
  steps: 'Steps',
  expectedOutcome: 'Expected outcome',
  examples: 'Examples',
} as const

/** Of the front matter's `metadata`: names with a prefix, as other programs keep theirs there. Values are texts. */
export const marks = {
  format: 'mneme-format',
  version: 'mneme-version',
  successes: 'mneme-successes',
  failures: 'mneme-failures',
} as const

/** What `marks.format` says: the body is laid out under our headings. */
export const currentFormat = '1'

/** Whether a text can stand in a body as it is and be read again: the rest is written as JSON. */
function isPlain(text: string): boolean {
  return text === text.trim() && text !== '' && !/[\r\u2028\u2029]|^\s*(?:#|```|\d+\. |- )|\n\s*\n/m.test(text)
}

function isPlainLine(text: string): boolean {
  return isPlain(text) && !text.includes('\n')
}

function fenced(value: unknown, indent = ''): string {
  return ['```json', ...JSON.stringify(value, null, 2).split('\n'), '```'].map((line) => indent + line).join('\n')
}

function paragraph(text: string): string {
  return isPlain(text) ? text : fenced(text)
}

function items(values: Skill['steps'], bullet: (i: number) => string): string {
  return values
    .map((value, i) => {
      const start = bullet(i)
      if (typeof value === 'string' && isPlainLine(value)) return start + value
      // Marks the item for readers; what counts is the JSON below it.
      const label = typeof value === 'string' ? '(text)' : `Use \`${value.tool.replaceAll(/[`\s]+/g, ' ').trim()}\``
      return `${start}${label}\n\n${fenced(value, ' '.repeat(start.length))}`
    })
    .join('\n')
}

/** A body that is one text and nothing else, as skills of other programs have it: it is written as it came. */
function isFreeBody({ steps, trigger, description, preconditions, expectedOutcome, examples }: Skill): boolean {
  const [body] = steps
  const rest = preconditions.length + examples.length + expectedOutcome.length
  return (
    steps.length === 1 &&
    typeof body === 'string' &&
    trigger === description &&
    rest === 0 &&
    body === body.trim() &&
    body.includes('\n') &&
    !body.includes('\r')
  )
}

function frontMatter({ name, description, version, successes, failures }: Skill, laidOut: boolean): string {
  const metadata = {
    ...(laidOut ? { [marks.format]: currentFormat } : {}),
    ...(version === 1 ? {} : { [marks.version]: `${version}` }),
    ...(successes === 0 ? {} : { [marks.successes]: `${successes}` }),
    ...(failures === 0 ? {} : { [marks.failures]: `${failures}` }),
  }
  // A JSON string is a YAML scalar, whatever is in it.
  const lines = Object.entries(metadata).map(([key, value]) => `  ${key}: ${JSON.stringify(value)}`)
  return [
    '---',
    `name: ${JSON.stringify(name)}`,
    `description: ${JSON.stringify(description)}`,
    ...(lines.length === 0 ? [] : ['metadata:', ...lines]),
    '---',
  ].join('\n')
}

/**
 * A skill as a SKILL.md file: YAML front matter with name and description, then trigger, preconditions, steps, outcome and
 * examples under headings. `skillFromMarkdown` gives the same skill back (SKL-4).
 */
export function skillToMarkdown(skill: Skill): string {
  if (isFreeBody(skill)) return `${frontMatter(skill, false)}\n\n${skill.steps[0] as string}\n`
  const { trigger, preconditions, steps, expectedOutcome, examples } = skill
  const sections = [
    [headings.trigger, trigger === skill.description ? '' : paragraph(trigger)],
    [headings.preconditions, items(preconditions, () => '- ')],
    [headings.steps, items(steps, (i) => `${i + 1}. `)],
    [headings.expectedOutcome, expectedOutcome === '' ? '' : paragraph(expectedOutcome)],
    [headings.examples, examples.map((example) => fenced(example)).join('\n\n')],
  ]
  const body = sections.flatMap(([heading, text]) => (text === '' ? [] : [`## ${heading}\n\n${text}`]))
  return `${[frontMatter(skill, true), ...body].join('\n\n')}\n`
}

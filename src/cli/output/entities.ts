import type { EntityListResult, EntityMergeResult, EntityResult, KnownEntity } from '../../engine/index.ts'
import type { Entity } from '../../kinds/index.ts'
import { amount } from './amount.ts'
import type { Rendering } from './answer.ts'
import type { Asked } from './asked.ts'
import { bold, type Cell, dim, good, line, table } from './lines.ts'
import { listNotes } from './list-notes.ts'
import { moment, scopeText } from './records.ts'
import { type Written, written } from './written.ts'

const noSuchEntity = 'No entity of this name in this scope. Check the name and the scope.'

function about({ type, aliases }: Entity): Cell[] {
  return [...(type === '' ? [] : [`  ${type}`]), ...(aliases.length === 0 ? [] : [dim(`  also ${aliases.join(', ')}`)])]
}

export function entitySet(answer: Written<EntityResult>, asked: Asked): Rendering {
  const { outcome, entity } = answer
  return written(answer, asked, [line(good(outcome), '  ', entity.name, ...about(entity), '  ', dim(entity.id))])
}

export function entityShown(entity: KnownEntity | null): Rendering {
  if (entity === null) return { lines: [], notes: [noSuchEntity] }
  const fields: [string, string][] = [
    ['type', entity.type],
    ['also', entity.aliases.join(', ')],
    ['about', entity.description],
    ['version', String(entity.version)],
    ['updated', moment(entity.updatedAt)],
    ['id', entity.id],
  ]
  const said = fields.filter(([, text]) => text !== '')
  return { lines: [line(bold(entity.name)), ...table(said.map(([name, text]) => [dim(name), text]))] }
}

export function entityList({ entities, nextCursor }: EntityListResult): Rendering {
  const several = new Set(entities.map(({ scope }) => scope && scopeText(scope))).size > 1
  return {
    lines: entities.map((entity) =>
      line(
        bold(entity.name),
        ...about(entity),
        '  ',
        dim(entity.id),
        ...(several && entity.scope ? [dim(`  ${scopeText(entity.scope)}`)] : []),
      ),
    ),
    notes: listNotes(entities, 'Nobody and nothing is known by name here.', nextCursor),
  }
}

export function entitiesMerged(answer: Written<EntityMergeResult>, asked: Asked): Rendering {
  const { entity, merged, links } = answer
  const moved = links === 0 ? '' : `  ${amount(links, 'link')}`
  return written(answer, asked, [line(good('merged'), '  ', merged.key ?? merged.id, ' → ', entity.name, moved)])
}

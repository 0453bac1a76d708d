import { expect, test } from 'vitest'
import { entityData, entityIn, entityText, isCalled, mergedEntity, nameForm, parseEntity } from './index.ts'

test('[ENT-1] names are compared in whatever case, spacing and accents; signs alone stay what they are', () => {
  expect(nameForm('  Société   Générale ')).toBe(nameForm('societe generale'))
  expect(nameForm('♥')).not.toBe(nameForm('★'))
  const entity = parseEntity({
    name: 'Dupont SA',
    aliases: ['Ets Dupont', 'DUPONT sa', 'ets  dupont', 'Maison Dupont'],
  })
  expect(entity).toEqual({ name: 'Dupont SA', type: '', aliases: ['Ets Dupont', 'Maison Dupont'], description: '' })
  expect(isCalled(entity, nameForm('maison dupont'))).toBe(true)
  expect(isCalled(entity, nameForm('maison'))).toBe(false)
})

test('[ENT-1] what is no name, type or description is refused with the field', () => {
  for (const given of [
    { aliases: ['x'.repeat(513)] },
    { type: 'x'.repeat(257) },
    { description: 'a\u0000b' },
    { aliases: Array.from({ length: 101 }, (_, i) => `n${i}`) },
  ]) {
    const [field] = Object.keys(given)
    expect(() => parseEntity({ name: 'A', ...given })).toThrow(field as string)
  }
})

test('[ENT-4] of two that are one, what the one that stays says counts, and what only the other says is added', () => {
  const stays = parseEntity({ name: 'Dupont', type: 'company', aliases: ['D.'] })
  const goes = parseEntity({ name: 'Dupont SA', type: 'customer', aliases: ['d.', 'Ets Dupont'], description: 'Lyon' })
  expect(mergedEntity(stays, goes)).toEqual({
    name: 'Dupont',
    type: 'company',
    aliases: ['D.', 'Dupont SA', 'Ets Dupont'],
    description: 'Lyon',
  })
})

test('[ENT-2] an entity is kept as text and payload, and whatever the payload is, it is read', () => {
  const entity = parseEntity({ name: 'Kiel', type: 'city', aliases: ['Holstenstadt'], description: 'By the sea' })
  expect(entityText(entity)).toBe('Kiel (city), also Holstenstadt. By the sea')
  expect(entityIn({ key: 'Kiel', content: entityText(entity), data: entityData(entity) })).toEqual(entity)
  expect(entityText(parseEntity({ name: 'Kiel' }))).toBe('Kiel')
  for (const data of [undefined, null, 'x', [1], { aliases: 'x', type: 1 }, { aliases: [1] }]) {
    const read = entityIn({ key: 'Kiel', content: 'Kiel', ...(data === undefined ? {} : { data: data as never }) })
    expect(read).toEqual({ name: 'Kiel', type: '', aliases: [], description: '' })
  }
})

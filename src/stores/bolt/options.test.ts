import { inspect } from 'node:util'
import { describe, expect, it } from 'vitest'
import { bolt } from './index.ts'
import { type BoltOptions, checkOptions } from './options.ts'

describe('options of the bolt store', () => {
  it('[BLT-1] user, password and database of a url are taken out of it; options and the environment fill in, options first', () => {
    expect(checkOptions({ url: 'bolt://ann:p%40ss@db.example:7687/notes' }, {})).toMatchObject({
      url: 'bolt://db.example:7687',
      user: 'ann',
      password: 'p@ss',
      database: 'notes',
      namespace: 'mneme',
    })
    const env = { MNEME_BOLT_URL: 'neo4j+s://one.example' }
    expect(checkOptions({}, env)).toMatchObject({ url: 'neo4j+s://one.example', user: undefined, database: undefined })
    expect(checkOptions({ url: 'bolt://a:b@two.example', user: 'c', password: 'd', database: 'e' }, env)).toMatchObject(
      {
        url: 'bolt://two.example',
        user: 'c',
        password: 'd',
        database: 'e',
      },
    )
    expect(checkOptions({ url: 'neo4j://host:7687?policy=eu' }, {}).url).toBe('neo4j://host:7687?policy=eu')
  })

  it.each<[string, BoltOptions]>([
    ['no url', {}],
    ['an empty url', { url: '' }],
    ['another scheme', { url: 'http://u:secret@host' }],
    ['no host', { url: 'bolt://' }],
    ['not a url', { url: 'host:secret' }],
    ['a broken escape', { url: 'bolt://u:%secret@host' }],
    ['a password with a ? in it', { url: 'bolt://u:12?secret@host' }],
    ['a password with a ? in it, for a cluster', { url: 'neo4j://u:12?secret=1@host' }],
    ['parameters that bolt:// does not take', { url: 'bolt://u:secret@host?policy=eu' }],
    ['a namespace, which MNEME_STORE takes', { url: 'bolt://u:secret@host?namespace=notes' }],
    ['a parameter twice', { url: 'neo4j://u:secret@host?policy=eu&policy=us' }],
    ['a namespace with a slash', { url: 'bolt://u:secret@host', namespace: 'a/b' }],
    ['an empty namespace', { url: 'bolt://u:secret@host', namespace: '' }],
    ['a database that is no text', { url: 'bolt://u:secret@host', database: 7 as never }],
    ['no time to connect', { url: 'bolt://u:secret@host', connectTimeoutMs: 0 }],
    ['no time to answer', { url: 'bolt://u:secret@host', timeoutMs: Number.NaN }],
    ['half a connection', { url: 'bolt://u:secret@host', maxConnections: 1.5 }],
  ])('[BLT-2] what is wrong with an option is said at once, and never with a secret: %s', (_, options) => {
    expect(() => checkOptions(options, {})).toThrow(expect.objectContaining({ code: 'BAD_CONFIG' }))
    try {
      checkOptions(options, {})
    } catch (error) {
      expect(inspect(error, { showHidden: true })).not.toContain('secret')
    }
  })

  it('[BLT-3] making a store connects to nothing', async () => {
    const store = bolt({ url: 'bolt://ann:secret@127.0.0.1:1' })
    await expect(store.head()).rejects.toMatchObject({ code: 'ENGINE_CLOSED' })
    await store.close()
  })
})

import { join } from 'node:path'

export function create({ require, folder, dimensions }) {
  const { DatabaseSync } = require('@photostructure/sqlite')
  const db = new DatabaseSync(join(folder, 'vec.db'), { allowExtension: true })
  db.enableLoadExtension(true)
  db.loadExtension(require('sqlite-vec').getLoadablePath())
  db.exec(`
    pragma journal_mode = wal;
    pragma synchronous = normal;
    create virtual table vectors using vec0(embedding float[${dimensions}] distance_metric=cosine);
    create table texts (id integer primary key, content text not null);`)
  const addVector = db.prepare('insert into vectors (rowid, embedding) values (?, ?)')
  const addText = db.prepare('insert into texts (id, content) values (?, ?)')
  const nearest = db.prepare(`
    select texts.id, texts.content from (select rowid, distance from vectors where embedding match ? and k = ?) near
    join texts on texts.id = near.rowid order by near.distance`)
  const bytes = (vector) => new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
  return {
    onDisk: true,
    insert({ ids, texts, vectors }) {
      db.exec('begin')
      for (const [i, id] of ids.entries()) {
        addVector.run(BigInt(id), bytes(vectors[i]))
        addText.run(Number(id), texts[i])
      }
      db.exec('commit')
    },
    search: (vector, _text, k) => nearest.all(bytes(vector), k).map((row) => row.id),
    close: () => db.close(),
  }
}

/**
 * What is measured, in order. `variants`: each is a measurement of its own. `largest`: not beyond this size.
 * `once`: has no size. `byDefault: false`: only with --peers.
 */
export const rows = {
  build: { title: 'a store written from nothing, addMany of 990 a call, vectors given' },
  search: { title: 'search of everything, limit 10', variants: ['hybrid', 'no-token-match', 'text', 'vector'] },
  scope: { title: 'search in a scope of 1 %' },
  'search-after-add': { title: 'search right after an add' },
  recall: { title: 'recall@10 of the vector stage' },
  add: { title: 'single durable add', variants: ['none', 'given', 'built-in'] },
  'add-many': { title: 'addMany, 1,000 a call', variants: ['none', 'given', 'built-in'] },
  'delete-scope': { title: 'a scope of 3,000 deleted' },
  open: { title: 'an existing file opened' },
  'command-line': { title: '`mneme search` from a cold shell', largest: 100_000 },
  import: { title: 'import of an export, built-in embedder' },
  'import-vectors': { title: 'import of an export with its vectors' },
  'import-time': { title: "import 'mneme'", once: true },
  install: { title: 'npm install of the package', once: true },
}

/** What each option of the table does, in the words of `--help`; `verb.option` where one verb means something else by it. */
export const optionTexts: Readonly<Record<string, string>> = {
  // scope
  user: 'whose memory',
  agent: 'of which agent',
  session: 'of which session',
  app: 'of which application',
  namespace: 'a segment of the namespace, outermost first; repeat it for more',
  allScopes: 'of everybody: every scope of the store',
  include: "shared: also what encloses the scope, such as the user's own memories in a session",

  // fields of a memory
  id: 'an id of your own',
  content: 'the new text',
  kind: 'semantic, episodic, procedural, tool, kv, entity, or a name of your own',
  key: 'a stable name, unique per scope and kind; adding it again updates',
  tags: 'with all of these tags',
  'add.tags': 'its tags',
  'update.tags': 'its tags, instead of those it has',
  'supersede.tags': 'its tags; those of the older fact if not given',
  metadata: 'a JSON object of your own',
  data: 'any JSON that belongs to the memory',
  importance: 'from 0 to 1',
  confidence: 'from 0 to 1',
  reliability: 'from 0 to 1',
  source: 'what kind of source it came from',
  sourceActor: 'who said or wrote it',
  sourceRef: 'a link or an id in the outside world',
  sourceQuote: 'the words it was taken from',
  sourceFrom: 'ids of the memories it was derived from',
  trust: 'how far to trust it; follows the source if not given',
  eventTime: 'when it happened: an ISO 8601 time with offset, or JSON with start, end, zone, granularity',
  validFrom: 'true in the world from then on',
  validTo: 'true in the world until then',
  expiresAt: 'forgotten from then on',
  pinned: 'never pruned or evicted',
  noPinned: 'no longer pinned',
  status: 'only of these statuses; any for all',
  'add.status': 'its status',
  'update.status': 'its status',
  'supersede.status': 'its status',
  vector: "the text's vector as a JSON array, when you have it already",
  'search.vector': "the query's vector as a JSON array, when you have it already",
  'explain.vector': "the query's vector as a JSON array, when you have it already",
  json: 'the text is a memory as a JSON object',
  by: 'id of a memory that is there already and takes the place',

  // writing
  ifExists: 'when the id is there with other content',
  dedupe: 'store the same content again',
  ifVersion: 'only if it is still at this version',
  metadataMode: 'merge into the metadata, or replace all of it',
  idempotencyKey: 'the same key with the same input writes once and answers the same',
  dryRun: 'show what would happen as a plan, write nothing',
  reason: 'why, for the journal',
  actor: 'who does this, for the journal',
  'journal.actor': 'only what this one did',
  op: 'only reads, or only writes',
  at: 'when it stopped being true',
  ids: 'which ones',
  'journal.ids': 'only lines that name one of these',
  type: 'what connects them',
  weight: 'how strongly, from 0 to 1',
  'link.metadata': 'a JSON object of your own',
  success: 'it proved right or useful',
  noSuccess: 'it proved wrong or useless',
  strategy: 'what is to go',
  below: 'importance: what is of less, 0 to 1 (0.3 if not given)',
  olderThanDays: 'age: what was made more than so many days ago',
  keep: 'capacity: how many are to stay',
  'forget.mode': 'archive, which restore takes back, or delete',
  'forget.tags': 'only with all of these tags',
  'maintain.mode': 'delete or archive what is pruned or evicted',
  force: 'undo what still can be, when other parts changed since',

  // reading
  kinds: 'only of these kinds',
  filter: 'a JSON filter, such as \'{"project": "old"}\' or \'{"record.importance": {"gte": 0.5}}\'',
  since: 'from then on',
  until: 'before then',
  validAt: 'what was true in the world then',
  asOf: 'what the store held then',
  order: 'in which order',
  limit: 'how many at most, 1 to 1000',
  cursor: 'go on where an earlier answer ended',
  minScore: 'leave out what scores less, 0 to 1',
  mode: 'by words, by meaning, or both',
  'import.mode': 'replace deletes what the scopes hold first',
  fusion: 'how words and meaning are brought together',
  weights: 'how much recency, importance and reliability count, 0 to 10: \'{"recency": 2}\'',
  recencyHalfLifeHours: 'after how many hours recency has halved',
  recencyAnchor: 'which time counts as recent',
  diversity: 'prefer results unlike those before, 0 to 1',
  rerank: 'leave out the reranker',
  exact: 'compare every vector exactly',
  explain: 'say with each result why it is there',
  touch: 'do not count the results as used',
  types: 'only links of these types',
  depth: 'how many links away, 1 to 10',
  after: 'only what came after this cursor',
  part: 'only terms, or only vectors',
  format: 'the form of the lines; there is one so far',
  vectors: 'write the vectors too',
  to: 'write to a new file instead of stdout',
  all: 'everything in the scope',
  yes: 'do not ask',
  deep: 'read every record and compare it with every index',
}

const times = new Set(['since', 'until', 'validAt', 'asOf', 'at', 'eventTime', 'validFrom', 'validTo', 'expiresAt'])
const names: Readonly<Record<string, string>> = {
  user: 'name',
  agent: 'name',
  session: 'name',
  app: 'name',
  namespace: 'segment',
  id: 'id',
  by: 'id',
  actor: 'name',
  sourceActor: 'name',
  kind: 'name',
  kinds: 'names',
  cursor: 'cursor',
  after: 'cursor',
  to: 'file',
  ids: 'ids',
  sourceFrom: 'ids',
}

/** What stands for an option's value in usage: `<time>`. */
export function placeholderOf(name: string, kind: string): string {
  if (times.has(name)) return 'time'
  return names[name] ?? (kind === 'list' ? 'values' : kind === 'choice' ? 'choice' : kind)
}

/** What the help of a command says beside its summary. */
export const commandNotes: Readonly<Record<string, string>> = {
  export:
    'The state of now: every memory with its id, version number, times and links, of any status.\nHistory stays behind; mneme backup copies all there is.',
  deleteMany: 'Asks first on a terminal. Where nobody can be asked, --all needs --yes.',
}

export function optionText(verb: string, option: string): string | undefined {
  return optionTexts[`${verb}.${option}`] ?? optionTexts[option]
}

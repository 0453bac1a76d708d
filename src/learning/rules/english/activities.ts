/** Stems of what people do for pleasure and as a habit: `cook`, `bak`; written with -ing, or as they are. */
const stems =
  'cook|bak|read|writ|run|runn|hik|swim|swimm|cycl|bik|walk|jog|jogg|danc|sing|paint|draw|sketch|garden|knit|knitt|crochet|sew|fish|hunt|camp|climb|boulder|ski|skat|skateboard|snowboard|surf|windsurf|kitesurf|sail|row|kayak|canoe|div|snorkel|snorkell|danc|travel|travell|driv|rid|fenc|box|wrestl|bowl|golf|photograph|film|stargaz|birdwatch|birdwatch|gam|stream|cod|program|programm|cod|brew|hom?ebrew|ferment|forag|pott|woodwork|weav|quilt|embroider|collect|trainspott|geocach|orienteer|bodybuild|weightlift|weight-lift|lift|exercis|work out|working out|meditat|journal|journall|blogg|blog|act|debat|volunteer|teach|learn|study|visit|watch|listen to|play|mak|grow|grill|barbecu|read|cav|abseil|paraglid|skydiv|bungee|hors(?:e )?rid|sunbath|thrift|rock climb|trail runn|scuba div|ice skat|roller skat|horseback rid|mountain bik|bird watch|wood carv|carv|home brew|people-watch|speak|eat|fly|drink|camp|cross-stitch|build|repair|fix|restor|sleep outdoor|work|liv|sit|stand|shop|clean|argu|talk|text|phone|swear'
const activity = new RegExp(
  `^(?:(?:rock|trail|scuba|ice|horse|mountain|bird|wood|home|open-water|cross-country|ballroom|salsa|rock-|fly|wild|creative|public|strength|road|night|sea|urban|line|folk|tap|figure|speed|inline) ?)?(?:${stems})(?:e|ing)?$`,
  'i',
)
const longestDoing = 5

/** One word, or two, for something that is done: `swimming`, `rock climbing`. */
export const isActivity = (word: string): boolean => activity.test(word)

/** Something known that is done, and perhaps with what: `cooking Thai food`, `play the piano`. */
export function isDoing(value: string): boolean {
  const words = value.split(' ')
  if (words.length > longestDoing) return false
  return [1, 2].some((most) => activity.test(words.slice(0, most).join(' ')))
}

import type { Clause, Reading, Rule } from '../rule-language.ts'
import { isActivity, isDoing } from './activities.ts'
import { isAllergen } from './kinds-of-things.ts'

/**
 * What most often turns out to be a joke, an exaggeration or a thing of the moment is learnt only where it looks like what people
 * mean in earnest: a plain sentence, and a value of a kind that is known (RUL-2).
 */
const longestPlain = 32

const notPlain =
  /\b(?:who does(?: not|n't)|said no one|said nobody|nothing like|like a boss|single-?handed(?:ly)?|totally|obviously|of course|clearly|literally|professional(?:ly)?|expert|world class|world-class|some days|on a good day|as always|once again|yay|woo-?hoo|whee|ha|sigh|ugh|yippee|thrilling|yes because|because i simply|my therapist|my bank account|my wallet|my wife says|apparently|in theory|in my head|in spirit|one single|a single|for once|whenever i)\b|!{2,}|\?!|\u2026|\.{3}|^(?:sure|yes|ah|oh|great|wow|right|lovely|fantastic|brilliant|wonderful|perfect|super|nice|cool|fun|excellent|marvellous|splendid|terrific),? (?!i am\b|and\b)/i

/** Nobody says of these in earnest that they love them, or nothing is learnt from it. */
const ironic =
  /\b(?:mondays?|traffic|tax(?:es)?|tax returns?|paperwork|spam|bugs?|deadlines?|queu(?:e|es|ing)|bureaucracy|invoices?|bills?|rejections?|pain|failures?|failing|chaos|surprises?|hold|delays?|homework|chores|laundry|ironing|dishes|forms?|passwords?|captchas?|hangovers?|mosquito(?:e?s)?|drama|overtime|layoffs?|commut(?:e|es|ing)|meetings?|admin|nap(?:s|ping)?|sleep(?:ing)?|procrastinat\w+|cancel\w* \w+|weekends?|payday|money|free (?:food|stuff|things)|compliments|attention|losing|winning|typos?|updates?|notifications?|suffering|regret\w*|excuses|arguments?|arguing|complain\w*|nothing|challenges?|jokes?|mess|irony|sarcasm|gossip|idiots?|stress|rent|potholes|pop-?ups|ads|adverts|merge conflicts|legacy code|reboot\w*|waiting|overthinking|panick?\w*|judging|crying|scrolling|doomscrolling|snacking|ignoring|avoiding|forgetting|pretending|unread|fridge|biscuit tin|bathroom|coffee machine|my bed|the sofa|the couch|breathing|existing|moan|rant|unread \w+)\b/i

const noThing =
  /\b(?:my|your|his|her|their|our|me|us|them|we|they|he|she|i|you|someone|somebody|everyone|everybody|anyone|people|who|whom|whose|than|more|less|every|each|another|single|being|having|getting|when|how|what|why|only|just|own|enough|such|so|too|very|really|can|will|do|does|did|get|gets|makes?|made|goes|comes|says?|said|think|thought|one|ones|way|ways|thing|things|stuff|idea|ideas|fact|look|looks|sound of (?:my|your)|here|there|now|today|tonight|tomorrow|yesterday)\b/i

const words = (value: string): number => value.trim().split(/\s+/).length

function isThing(value: string): boolean {
  if (words(value) > 5 || noThing.test(value)) return false
  if (/^(?:an?|any|no|some) /i.test(value) && !/^a (?:good|nice|strong|cold|hot|proper|decent) \p{L}+$/iu.test(value))
    return false
  // `long walks to the fridge`: what a thing is for, and where it leads, is where the joke is.
  if (/ (?:to|from|for|about|into|without|before|after|until|during|instead) /i.test(value) && !isDoing(value))
    return false
  // What one does is known by name, what one has by its noun.
  return !/^[\p{L}-]{2,}ing\b/iu.test(value) || isDoing(value)
}

const favoriteKinds =
  /^(?:.*-)?(?:color|food|meal|dish|drink|cocktail|beer|wine|tea|coffee|cheese|dessert|cake|snack|fruit|vegetable|cuisine|pizza|ice-cream|restaurant|cafe|café|bar|pub|breakfast|spice|flavor|flavour|sandwich|band|singer|musician|artist|painter|composer|song|album|genre|music|instrument|author|writer|poet|poem|novelist|book|novel|comic|movie|film|director|actor|actress|show|series|podcast|game|video-game|board-game|sport|team|club|player|athlete|driver|season|month|day|holiday|animal|bird|flower|tree|plant|city|town|country|place|island|beach|park|museum|language|programming-language|editor|framework|subject|number|hobby|activity|pastime|car|brand|shop|store|perfume|scent|toy|character|book-series|tv-show|tv-series|sitcom|anime|manga|opera|ballet|play|musical|philosopher|poison)$/i

const sleepy =
  /\b(?:sleep\w*|nap\w*|procrastinat\w+|whatever|someone|somebody|anything|nothing|everything|free|leftovers?|silence|payday|money|cancel\w*|soul|lunch|never|yes|none|the one|cross between|bed|sofa|couch|fridge|excuse|whichever|mine|yours|hers|his|their|my|your|me|you|it|depends|changing|complicated)\b/i

const isFavorite = (attribute: string, value: string): boolean =>
  favoriteKinds.test(attribute.slice(attribute.indexOf('.') + 1)) && words(value) <= 6 && !sleepy.test(value)

const goals =
  /^(?:(?:learn|study|master|speak|improve) (?!.*\b(?:to (?:love|live|say|adult|relax|let|shut|stop|be)|mind|lesson|lessons)\b).{2,40}|lose (?:some |a bit of |\d+ ?|ten |five |twenty |fifteen |\w+ )?(?:weight|kg|kilos?|pounds|lbs|stone|kilograms)\b.*|(?:run|finish|complete|do) (?:an?|the|my first) .{0,30}(?:marathon|half|triathlon|ironman|ultra|race|\d+ ?k(?:m)?)\b.*|(?:finish|complete|write|publish|submit) (?:my|a|the) (?:[\p{L}-]+ )?(?:degree|thesis|phd|novel|book|dissertation|master's|album|memoir|screenplay|studies|training)\b.*|read (?:\d+|ten|twelve|twenty|thirty|fifty|more|one|two) .{0,20}books?\b.*|(?:buy|own|build|get) (?:a|my|our|my own|our own|a small|my first) (?:[\p{L}-]+ )?(?:house|home|flat|apartment|car|farm|boat|camper|campervan|cottage|cabin|van|motorbike|place)\b.*|(?:open|start|run|launch|set up|found) (?:a|an|my own|our own|my|our) (?:[\p{L}-]+ )?(?:business|shop|bookshop|bookstore|caf\u00e9|cafe|bakery|restaurant|company|start-?up|practice|studio|school|family|brewery|b&b|charity|podcast|consultancy|gallery|nursery|vineyard|farm)\b.*|(?:become|qualify as|train as|retrain as|work as) (?:an?|the) (?:[\p{L}-]+ ?){1,4}|get (?:fit|fitter|in shape|into shape|healthier|promoted|pregnant|married|better at|(?:a|an|my) (?:[\p{L}-]+ ){0,2}(?:degree|job|promotion|licen[cs]e|visa|phd|mba|certificate|certification|diploma|residency|citizenship)).*|(?:quit|stop|give up|cut down on|cut back on|reduce|cut out|eat less|drink less|eat more|drink more) ?(?:smoking|vaping|drinking|sugar|alcohol|coffee|caffeine|meat|gambling|screen time|fast food|sweets|snacking|vegetables|fruit|water|protein|fibre|fiber|carbs|salt|biting my nails|cigarettes|dairy)(?: .*)?|(?:pass|ace) (?:my|the|an?) .*(?:exam|test|finals?|bar|driving|certification)\b.*|save (?:money|up|for|\p{Sc}? ?\d).*|(?:retire|graduate|exercise|work out|walk \d|swim|build muscle|gain muscle)\b.*|(?:train for|prepare for|work towards|save for|save up for) .*(?:\d|marathon|triathlon|race|exams?|finals|house|flat|apartment|car|van|camper|wedding|trip|holiday|vacation|deposit|mortgage|retirement|degree|certification|competition|tournament|fight|match|bike|boat|guitar|piano|hike|climb|move|test|interview|phd)\b.*)$/iu

const goalEnds =
  /\b(?:mind|apocalypse|worst|battle|war|zombies?|winter is|rainy day|yacht|world domination|lottery|unicorn|survive|nothing|without (?:dying|crying)|lip balm|inbox|nap|naps|sofa|couch|netflix|pizza|wine|cake|doomsday|olympics|time machine|patience|dog|cat|cats)\b/i

const going =
  /^(?:(?:train for|prepare for|save for|save up for) .*|(?:[Vv]isit|see|travel to|move to|live in|go to|climb|hike|cycle|sail) (?:to |the |around |across |up )?)\p{Lu}/u
const isGoal = (value: string): boolean =>
  words(value) <= 10 && (/^\p{Lu}/u.test(value) || goals.test(value) || going.test(value)) && !goalEnds.test(value)

const exaggerated =
  /\b(?:caffeine|deadlines?|spite|hope|adrenaline|vibes|circles|fridge|printer|toilet|bathroom|tears|sorrows|feelings|victim|mind|head|devil|hell|crazy|insane|dead|existential|crisis|breakdown|panic|cry|scream|nothing|everything|every single|wall|walls|fumes|time machine|myself|a lot|too much|sense|void|fool|idiot|favorites?|regret|minutes late|the same|problems?|sanity|soul|fear|dread|doom)\b/i

const theSport =
  '(?:football|soccer|tennis|badminton|squash|golf|basketball|volleyball|handball|hockey|cricket|rugby|chess|bridge|poker|darts|pool|snooker|table tennis|ping pong|padel|baseball|softball|netball|board games|video games|games|cards|(?:the )?(?:piano|guitar|violin|cello|drums|flute|trumpet|saxophone|bass|harp|organ|clarinet|ukulele))'
const theDrink =
  '(?:coffees?|teas?|water|milk|juice|smoothies?|wine|beers?|espresso(?:s|es)?|matcha|cola|coke|porridge|oatmeal|oats|eggs?|fruit|salads?|yogh?urt|fish|meat|rice|pasta|pizza|breakfast|lunch|dinner|supper|therapy|physio(?:therapy)?|lessons?|classes|class|practice|rehearsals?|training|appointments?|date night|family dinner|bread|curry|soup|roast|a swim|a walk|a run|a nap|a bath|a shower|call with .{2,30})'
const habits = [
  String.raw`(?:run|swim|jog|cycle|bike|walk|hike|row|ski|surf|climb|lift|meditate|journal|exercise|work out|train|stretch|garden|paint|draw|fast|box|pray|dance|sing|knit|volunteer|commute|practi[cs]e|nap|ride)(?: (?:weights|horses|my bike|my bicycle|the (?:dog|dogs|piano|guitar|violin|cello)|my (?:dog|dogs))| (?:about |around |at least )?\d+ ?(?:km|k|miles?|laps|minutes|hours|metres|meters|lengths|steps)\b| (?:to|in|along|around|by|through|at|with|for|before|after|together|outside|alone|early|from) .*)?(?: (?:EVERY).*)?`,
  String.raw`go (?:for (?:a|an) (?:[\p{L}-]+ )?(?:run|walk|swim|jog|ride|hike)|ACTIVITY|to (?:(?:the|my|a) )?(?:[\p{L}-]+ )?(?:gym|pool|church|mosque|temple|synagogue|yoga|pilates|therapy|choir|market|library|mass|class|classes|sauna|office|park|beach|dance class|bed)|out for (?:dinner|breakfast|lunch|a run|a walk)|home|climbing|to bed)\b.*`,
  String.raw`do (?:(?:some|my|a) )?(?:[\p{L}-]+ )?(?:yoga|pilates|crossfit|karate|judo|aikido|tai chi|zumba|aerobics|cardio|weights|stretching|push-?ups|sit-?ups|gymnastics|ballet|exercises?|workouts?|parkrun|crosswords?|sudokus?|laundry|shopping|volunteering|meditation|breathing exercises|physio|strength training|spinning|capoeira|boxing|pottery)\b.*`,
  `play ${theSport}\\b.*`,
  String.raw`(?:drink|eat|have|cook|bake|skip|make) (?:(?:a|an|my|the|some|only|one|two|three|four|five|\d+|a (?:cup|glass|litre|liter|pint|bowl) of|(?:one|two|three|four|\d+) (?:cups|glasses|litres|liters|bowls) of) )?(?:[\p{L}-]+ )?${theDrink}\b.*`,
  String.raw`(?:read|listen to|watch) (?:(?:a|an|the|one|two|some|my) )?(?:[\p{L}-]+ )?(?:books?|novels?|news|papers?|newspapers?|podcasts?|poems?|chapters?|pages?|bible|quran|films?|movies?|football|formula 1|radio|audiobooks?|before bed|in bed|to my (?:kids|children|son|daughter)|jazz|music)\b.*`,
  String.raw`(?:wake up|get up|start work|start|go to bed) (?:early |late )?(?:at |around |before |by )?(?:\d|half|quarter|five|six|seven|eight|nine|ten|four|dawn|early|work at).*`,
  String.raw`take (?:my )?(?:(?:the|a|my) )?(?:[\p{L}-]+ )?(?:medication|medicine|meds|pills?|tablets?|vitamins?|insulin|statins?|bus|train|tram|tube|metro|ferry|walk|nap|shower|lessons?|classes|kids to \p{L}+|dog to .{2,20}|iron|magnesium|creatine|antihistamines?)\b.*`,
  String.raw`attend (?:a |an |the |my )?(?:[\p{L}-]+ ){0,2}(?:church|mass|class|classes|course|meetings?|group|meetup|rehearsals?|service|lessons?)\b.*`,
  String.raw`(?:visit|call|phone|see) (?:my|our) (?:[\p{L}-]+ ){0,2}[\p{L}-]+ .*`,
  String.raw`write (?:in (?:my|a) (?:journal|diary)|morning pages|my (?:journal|diary)|a (?:poem|page|diary|blog)|\d+ words|poetry|code)\b.*`,
  String.raw`sleep (?:only |about )?(?:\d|five|six|seven|eight|nine|ten).*`,
]
const habit = new RegExp(
  `^(?:${habits.join('|').replace('(?: (?:EVERY).*)?', '.*').replace('ACTIVITY', '[a-z]+ing')})$`,
  'iu',
)
const shortHabit = /^(?:smoke|vape|work )/i

function isHabit(value: string): boolean {
  if (shortHabit.test(value)) return true
  const doing = /^go (?<doing>[a-z]+ing)\b/i.exec(value)?.groups?.doing
  if (doing !== undefined && !isActivity(doing)) return false
  return words(value) <= 14 && habit.test(value) && !exaggerated.test(value)
}

const planned =
  /^(?:going to )(?=\p{Ll})(?!(?:visit|fly|travel|move|start|meet|attend|run|be|see|have|get|take|stay|work|present|celebrate|drive|hike|speak|give|host|cycle|sail|volunteer|the|a|an|my|our|grandma|uni|university|church|court|hospital|work|london)\b)/u
const notPlanned =
  /\b(?:solo|destiny|jet plane|nowhere|double|lose (?:it|my)|my mind|hell|sleep|nap|cry|scream|kill|die|dead|nothing|in bed|crazy|apocalypse|murder|panic|regret|jail|prison|the moon|mars|space|famous|rich|nowhere|double|millionaire|explode|insane|zero|exactly|feeling|enough|a lot|deja vu|existential|breakdown|meltdown)\b/i

const isPlan = (value: string): boolean => words(value) <= 16 && !planned.test(value) && !notPlanned.test(value)

const ownable =
  /\b(?:cars?|houses?|flats?|apartments?|condos?|cottages?|cabins?|farms?|bikes?|bicycles?|motorbikes?|motorcycles?|scooters?|mopeds?|boats?|vans?|trucks?|lorr(?:y|ies)|campers?|campervans?|pianos?|guitars?|violins?|cellos?|cameras?|telescopes?|laptops?|computers?|e-?bikes?|kayaks?|canoes?|sailboats?|printers?|machines?|kindle|restaurants?|shops?|stores?|caf[e\u00e9]s?|bakery|bakeries|bookshops?|bookstores?|horses?|pon(?:y|ies)|business(?:es)?|company|companies|hatchbacks?|estate|suv|pickup|convertible|saloon|sedan|tractors?|vineyards?|gallery|salon|garage|pub|bar|brewery|studio|hotel|allotment|caravan|motorhome|tandem|unicycle|hybrid|drone|synth|drum kit|record player|iphone|ipad|macbook|tesla|b&b|greenhouse|hens|chickens|sheep|goats|beehives?|properties|property|land)\b/iu
const notOwned =
  /\b(?:wave|monday|absolute|more|than|enough|too many|nothing|zero|fleet|excuses?|opinions?|every|soul|share|of the)\b/i

const isOwned = (value: string): boolean =>
  words(value) <= 6 && (/\p{Lu}|\d/u.test(value) || ownable.test(value)) && !notOwned.test(value)

/** What a value of the weak kinds has to look like; the others are strict by their patterns. */
const looks: Readonly<Record<string, (value: string, attribute: string) => boolean>> = {
  likes: (value) => isThing(value) && !ironic.test(value),
  dislikes: (value) => isThing(value) || /^[\p{L}-]+ing$/iu.test(value),
  allergy: (value) => value.split(/ and | or /).every(isAllergen),
  prefers: (value) => isThing(value) && words(value) <= 5,
  favorite: (value, attribute) => isFavorite(attribute, value),
  goal: isGoal,
  habit: isHabit,
  plan: isPlan,
  owns: isOwned,
}

const infinitive =
  /\b(?:love|like|enjoy|adore|hate|dislike|prefer|can not stand|can not bear|hobby is|passion is)s? to (?<doing>\p{L}.*)$/iu

function isPlausible({ attribute, value, ends }: Reading, { text, sentence }: Clause): boolean {
  const kind = attribute.split('.')[0]!
  const looksSo = looks[kind]
  if (looksSo === undefined || ends === true) return true
  if (words(sentence) > longestPlain || notPlain.test(sentence) || !looksSo(value, attribute)) return false
  const doing = /likes|prefers/.test(kind) ? infinitive.exec(text)?.groups?.doing : undefined
  return doing === undefined || isDoing(doing)
}

/** The rule, without what only looks like a fact. All or nothing: half of a list says what nobody said. */
export const onlyPlausible = (rule: Rule): Rule => ({
  pattern: rule.pattern,
  read(groups, clause) {
    const read = rule.read(groups, clause)
    if (read === null) return null
    const readings = 'attribute' in read ? [read] : read
    return readings.every((reading) => isPlausible(reading, clause)) ? readings : null
  },
})

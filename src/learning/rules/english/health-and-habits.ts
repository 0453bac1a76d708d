import type { Reading, Rule } from '../rule-language.ts'
import { isHarmless } from './values.ts'

const conditions =
  "(?:type (?:1|2|one|two) )?diabetes|asthma|(?:coeliac|celiac)(?: disease)?|adhd|add|autism|epilepsy|migraines?|chronic (?:pain|migraines?|fatigue|back pain)|arthritis|rheumatoid arthritis|high blood pressure|low blood pressure|hypertension|hypothyroidism|hyperthyroidism|ibs|crohn'?s(?: disease)?|ulcerative colitis|eczema|psoriasis|insomnia|sleep apn(?:o)?ea|tinnitus|scoliosis|fibromyalgia|lupus|ms|multiple sclerosis|parkinson'?s(?: disease)?|depression|anxiety|ocd|ptsd|bipolar(?: disorder)?|dyslexia|dyscalculia|endometriosis|pcos|anaemia|anemia|gout|hay ?fever|lactose intolerance|gluten intolerance|(?:a )?(?:bad|weak|dodgy) (?:back|knee|knees|heart|hip|shoulder|ankle)|(?:a )?heart (?:condition|murmur|disease)|(?:a )?pacemaker|kidney disease|high cholesterol|acid reflux|gerd|vertigo|glaucoma|cataracts|(?:a )?slipped disc|(?:a )?herniated disc|carpal tunnel(?: syndrome)?|raynaud'?s|cystic fibrosis|sickle cell|haemophilia|hemophilia|cancer|hearing loss|long covid"
const states =
  '(?:lactose|gluten|fructose|histamine)[- ]intolerant|(?:type (?:1|2|one|two) )?diabetic|asthmatic|(?:coeliac|celiac)|colou?r[- ]?blind|pregnant|deaf|blind|hard of hearing|dyslexic|autistic|epileptic|bipolar|anaemic|anemic|left[- ]handed|short[- ]sighted|near[- ]?sighted|long[- ]sighted|immunocompromised|claustrophobic|neurodivergent|partially sighted|visually impaired'

const everyTime = String.raw`(?:every (?:single )?(?:day|morning|evening|night|afternoon|week|weekend|weekday|month|year|summer|winter|spring|autumn|other (?:day|week|weekend)|two weeks|monday|tuesday|wednesday|thursday|friday|saturday|sunday)(?: (?:morning|evening|night|afternoon))?|(?:on )?(?:mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays|weekends|weekdays)(?: and (?:mondays|tuesdays|wednesdays|thursdays|fridays|saturdays|sundays))?|daily|weekly|(?:once|twice|three times|four times|five times|two times|\d times|a few times|a couple of times) (?:a|per|each) (?:day|week|month|year)|each (?:day|morning|evening|week|night))`
const often = new RegExp(String.raw`(?<![\p{L}])${everyTime}(?![\p{L}])`, 'iu')
const habitVerbs =
  '(?:go|run|walk|swim|jog|cycle|bike|meditate|journal|read|work out|exercise|train|do|practi[cs]e|play|drink|eat|cook|bake|wake up|get up|take|attend|visit|call|volunteer|commute|write|draw|paint|stretch|garden|climb|hike|lift|row|surf|ski|dance|sing|fast|nap|ride|have|skip|listen to|watch|pray|box|sleep|start)'

const notHabit =
  /\b(?:this|that|it|bug|error|issue|problem|crash|crashes|same|you|meeting about|standup meeting|a headache|headaches|nightmares|to deal|trouble)\b/i

/** Health, goals, habits. */
export const habitRules = (): readonly Rule[] => [
  {
    pattern: new RegExp(
      `^I (?:have|have got|suffer from|live with|was (?:recently )?diagnosed with|have been diagnosed with|got diagnosed with|am living with)(?: (?:severe|mild|bad|chronic|really bad|pretty bad))? (?<value>${conditions})(?<rest>.*)$`,
      'i',
    ),
    read({ value = '', rest = '' }, { plural }) {
      if (
        plural ||
        !/^(?:$|[ ,.])/.test(rest) ||
        !/^(?:$|[,.]| (?:and|but|so|since|for|with|as well|too|myself|which|that|in (?:my|both|one)|on (?:my|both)|now|which|because i|diagnosed|due|again|last|a (?:few|couple|year)|as a|at (?:\d+|the age)|(?:in|since) (?:early |late )?(?:\d+|[a-z]+ber|january|february|march|april|may|june|july|august|my))\b)/i.test(
          rest,
        )
      )
        return null
      const health: Reading = { attribute: 'health', value: value.replace(/^a /i, '') }
      const allergy = /^(?:,| and|, and) an? (?<what>(?!food |skin |bad |severe |slight )[\p{L}]+) allergy$/iu.exec(
        rest,
      )?.groups?.what
      return allergy === undefined ? health : [health, { attribute: 'allergy', value: allergy }]
    },
  },
  {
    pattern: new RegExp(
      String.raw`^I (?:am|was born|have been)(?: (?:a|an|slightly|severely|mildly|partially|red-green|\d+ (?:weeks|months)|\w+ (?:weeks|months)))? ?(?<value>${states})(?<rest>.*)$`,
      'i',
    ),
    read({ value = '', rest = '' }, { plural }) {
      if (
        plural ||
        !/^(?:$|[ ,.])/.test(rest) ||
        !/^(?:$|[,.]| (?:and|but|so|since|for|too|myself|with (?:my|our|twins|a (?:boy|girl)|\p{L}+lets)|in (?:my|both|one|the left|the right)|on (?:my|one)|now|again|which|because|due|if)\b)/iu.test(
          rest,
        )
      )
        return null
      const more = new RegExp(`^(?:,| and|, and) (?<more>${states})(?:$|[ ,.])`, 'i').exec(rest)?.groups?.more
      return [value, ...(more === undefined ? [] : [more])].map((state) => ({
        attribute: 'health',
        value: state.toLowerCase(),
        says: '{who} is {value}',
      }))
    },
  },
  {
    pattern:
      /^I (?:use|am in) a (?<value>wheelchair|screen reader|braille display|hearing aid|walking stick|cane|walker|cpap(?: machine)?|guide dog)(?<rest>.*)$/i,
    read: ({ value = '', rest = '' }) =>
      isHarmless(rest.trim())
        ? { attribute: /^(?:screen|braille)/i.test(value) ? 'uses' : 'health', value, says: '{who} uses a {value}' }
        : null,
  },
  {
    pattern:
      /^I (?:take|am on) (?<value>metformin|insulin|statins|antidepressants|blood thinners|warfarin|ibuprofen|beta blockers|birth control|the pill|lithium|levothyroxine|ritalin|adderall|prozac|sertraline|zoloft|lexapro|lisinopril|steroids|antihistamines|methotrexate)(?<rest>.*)$/i,
    read: ({ value = '', rest = '' }) =>
      /^(?:$|[ ,.])/.test(rest) && !/headache/i.test(rest)
        ? { attribute: 'health', value, says: '{who} takes {value}' }
        : null,
  },
  // Goals.
  {
    pattern:
      /^my (?:(?:main|big|biggest|long-term|next|current|only|new year's|fitness|career|financial|ultimate|personal) )*(?:goal|goals|dream|resolution|aim|ambition|target)(?: (?:this|for this|for the|for next|in) (?:year|month|week|summer|life|\d{4}))?(?: right now)? is (?:to )?(?<value>.{3,100})$/i,
    read({ value = '' }) {
      const cut = value
        .replace(/[.!]+$/, '')
        .replace(/,? (?:because|so|but) .*$/i, '')
        .replace(/[:;(\u2013\u2014].*$/, '')
        .trim()
      return /^(?:not|simple|clear|that|this|unclear|just|the same|over|dead)\b/i.test(cut)
        ? null
        : { attribute: 'goal', value: cut }
    },
  },
  {
    pattern:
      /^I (?:am (?:currently )?(?<how>training for|saving (?:up )?for|saving up to|preparing for|working towards|trying to (?=(?:lose|quit|eat|learn|save|exercise|get (?:fit|in shape|better at|pregnant|healthier)|drink (?:less|more)|read more|sleep|run|cut (?:down|back)|stop smoking|give up|become|reduce|walk more|build (?:muscle|up)|gain)\b))|have been training for|have decided to (?=(?:quit|stop|lose|learn|run|become)\b)) ?(?<value>.{3,90})$/i,
    read({ how = '', value = '' }, { plural }) {
      const cut = value
        .replace(/[.!]+$/, '')
        .replace(/,? (?:because|so|but|and i) .*$/i, '')
        .replace(/[:;(\u2013\u2014].*$/, '')
        .trim()
      if (plural && !/saving/i.test(how)) return null
      if (/\b(?:this|that|it|you|your|code|error|script|function|bug)\b/i.test(cut)) return null
      return {
        attribute: 'goal',
        value:
          /^trying|decided/i.test(how) || how === ''
            ? cut
            : `${/^saving/i.test(how) ? 'save for' : how.toLowerCase().replace(/ing (for|towards)$/, ' $1')} ${cut}`,
        says: `{who} is ${how.toLowerCase() || 'aiming at'} ${cut}`,
      }
    },
  },
  // Habits.
  {
    pattern: new RegExp(
      String.raw`^(?:(?<when>${everyTime}),? )?I (?:usually |always |normally |typically |try to |like to )?(?<value>${habitVerbs} .{0,100}|(?:run|swim|jog|meditate|journal|exercise|work out|train|read|cycle|commute|volunteer|fast|stretch)\b.{0,100})$`,
      'iu',
    ),
    read({ when, value = '' }, { plural }) {
      const whole = when === undefined ? value : `${value} ${when}`
      if (
        plural ||
        !often.test(whole) ||
        notHabit.test(whole) ||
        /\b(?:not|never|would|last|next|ago|was|were|had to|used to|for (?:a|two|three) weeks?|until)\b/i.test(whole)
      )
        return null
      const cut = whole
        .replace(/[.!]+$/, '')
        .replace(/,? (?:because|so|but|and i|since|which|to (?:stay|keep|relax)) .*$/i, '')
        .trim()
      return often.test(cut)
        ? {
            attribute: 'habit',
            value: cut.toLowerCase() === cut ? cut : cut,
            says: `{who} has the habit: ${'{value}'}`,
          }
        : null
    },
  },
  {
    pattern:
      /^I (?:(?:have )?(?:quit|stopped|given up|gave up)|no longer|do not|used to|(?:have )?packed in|(?:have )?kicked) (?<value>smok(?:e|ing)|vap(?:e|ing)|drink(?:ing)?(?! (?:coffee|tea|milk|water|wine|beer|alcohol))|gambl(?:e|ing)|runn?(?:ing)?|jog(?:ging)?|go(?:ing)? to the gym|meditat(?:e|ing)|cycl(?:e|ing)|journal(?:ing)?|climb(?:ing)?|swim(?:ming)?|volunteer(?:ing)?|ski(?:ing)?|danc(?:e|ing))(?<rest>.*)$/i,
    read({ value = '', rest = '' }, { text, plural }) {
      if (plural) return null
      if (/^I do not/i.test(text) && !/\banymore\b/i.test(rest)) return null
      if (!/^(?:$|[ ,.])/.test(rest) || /^ (?:for (?:a|the) (?:day|week)|when i can)/i.test(rest)) return null
      return { attribute: 'habit', value: value.toLowerCase(), ends: true, says: '' }
    },
  },
  {
    pattern:
      /^I (?:usually |always )?(?<value>smoke|vape|do yoga|do pilates|do crossfit|work night shifts|work nights|work from home|work remotely|go to bed early|wake up early|get up early|(?:get up|wake up|go to bed) at (?:half past )?(?:\d{1,2}(?:[:.]\d\d)?|four|five|six|seven|eight|nine|ten|eleven|twelve|midnight)(?: ?(?:am|pm)\b)?)(?<rest>.*)$/i,
    read({ value = '', rest = '' }, { plural }) {
      if (
        plural ||
        !isHarmless(rest.trim()) ||
        /^ (?:for|as|at)\b/.test(rest) ||
        /today|tomorrow|this week/i.test(rest)
      )
        return null
      return { attribute: 'habit', value }
    },
  },
]

import type { Rule } from '../rule-language.ts'
import { pointing, readThings } from './tastes.ts'
import { isHarmless, listOf, upTo } from './values.ts'

const vehicles =
  'car|house|flat|apartment|condo|cottage|cabin|farm|bike|bicycle|motorbike|motorcycle|scooter|boat|van|truck|camper|campervan|piano|guitar|violin|drum kit|synth|camera|telescope|laptop|macbook|iphone|ipad|e-bike|ebike|tesla|kayak|sailboat|3d printer|printer|espresso machine|record player|kindle|restaurant|shop|café|cafe|bakery|bookshop|horse'

const technologies =
  /^(?:linux|windows(?: \d+)?|macos|mac|ubuntu|debian|arch(?: linux)?|fedora|linux mint|nixos|android|ios|iphone(?: \w+)?|ipad|macbook(?: \w+)?|thinkpad|pixel(?: \w+)?|samsung(?: \w+)?|vim|neovim|emacs|vs ?code|visual studio(?: code)?|intellij|pycharm|webstorm|xcode|sublime(?: text)?|zed|cursor|python|java|javascript|typescript|rust|go|golang|c|c\+\+|c#|ruby|php|kotlin|swift|scala|haskell|elixir|clojure|r|julia|perl|lua|zig|dart|flutter|react|react native|vue|angular|svelte|next\.js|node(?:\.js)?|deno|bun|django|flask|fastapi|rails|laravel|spring(?: boot)?|airflow|dbt|snowflake|bigquery|spark|databricks|nginx|prometheus|grafana|postgres|postgresql|mysql|sqlite|mongodb|redis|docker|podman|kubernetes|k8s|aws|gcp|azure|heroku|vercel|netlify|terraform|ansible|jenkins|github(?: actions)?|gitlab|bitbucket|jira|linear|notion|obsidian|evernote|slack|teams|discord|zoom|figma|sketch|photoshop|excel|google sheets|google docs|word|firefox|chrome|safari|brave|edge|gmail|outlook|protonmail|fish|zsh|bash|tmux|dvorak|colemak|qwerty|npm|yarn|pnpm|webpack|vite|jest|vitest|pytest|graphql|rest|kafka|rabbitmq|elasticsearch|spotify|apple music|youtube music|tidal|netflix|whatsapp|signal|telegram|duolingo|anki|strava|garmin|fitbit|apple watch|kindle|alexa|todoist|trello|asana|tailwind|bootstrap|numpy|pandas|pytorch|tensorflow|jupyter|matlab|latex|overleaf|blender|unity|unreal|godot|ableton|logic pro|premiere|davinci resolve|svn|git|mercurial|nano|helix|i3|sway|gnome|kde|wsl|powershell)$/i

const workVehicle =
  /^(?:(?:[\p{L}-]+ )?(?:bus|lorry|taxi|cab|tram|train|forklift|ambulance|delivery (?:van|truck)|garbage truck|fire engine|tow truck|tractor-trailer|semi|hgv|articulated lorry|snowplough|snowplow))$/iu

/** The name of something one works with, which one can also move to. */
export const isTechnology = (name: string): boolean => technologies.test(name.trim())

const vehicle = new RegExp(String.raw`\b(?:${vehicles})s?$`, 'i')
/** What one is sure to own when one says so: it has a name with a capital, or wheels. */
export const isNamedOrVehicle = (thing: string): boolean => vehicle.test(thing) || /\p{Lu}/u.test(thing)

/** What somebody has, collects and works with. */
export const thingRules = (): readonly Rule[] => [
  {
    pattern: /^I (?:drive|ride|own) (?<value>(?:a|an|two|three)(?: [\p{L}\p{N}'-]+){1,5})(?<rest>.*)$/iu,
    read({ value = '', rest = '' }, { text }) {
      if (
        /\b(?:hard|bargain|lot|bit|point|long|mean|stake|share|copy|uber)\b/i.test(value) ||
        /^,? ?(?:when|if)\b/i.test(rest)
      )
        return null
      const found = upTo(value, 6)
      if (found === null || !(isHarmless(rest.trim()) || rest === '')) return null
      const thing = found.value.replace(/^an? /i, '')
      // What is driven at work is not one's own.
      if (/^I drive a/i.test(text) && workVehicle.test(thing))
        return { attribute: 'job', value: `${thing} driver`, says: `{who} drives a ${thing}` }
      return {
        attribute: 'owns',
        value: thing,
        says: `{who} ${/^I drive/i.test(text) ? 'drives' : /^I ride/i.test(text) ? 'rides' : 'owns'} ${found.value.replace(thing, '{value}')}`,
      }
    },
  },
  {
    pattern: new RegExp(
      String.raw`^I (?:have )?(?:just |recently |finally )*(?:bought|purchased|got myself|treated myself to|have got|got) (?<value>(?:a|an|my first|my own)(?: [\p{L}\p{N}'-]+){0,3}? ?(?:${vehicles}))(?<rest>.*)$`,
      'iu',
    ),
    read({ value = '', rest = '' }, { text }) {
      if (
        !/bought|purchased|myself/i.test(text) ||
        /^ (?:for my|for his|for her|for their|ticket|lease|magazine|key|case|insurance|book|rental)/i.test(rest) ||
        !/^(?:$|[ ,!])/.test(rest)
      )
        return null
      return { attribute: 'owns', value: value.replace(/^(?:an?|my first|my own) /i, ''), says: '{who} owns a {value}' }
    },
  },
  {
    pattern:
      /^I (?:no longer (?:have|own|drive)|do not (?:have|own|drive)) (?:(?:a|an|my|the|any) )?(?<value>[\p{L}\p{N}'-]+(?: [\p{L}\p{N}'-]+){0,2})$/iu,
    read({ value = '' }, { text }) {
      if (/^I do not/i.test(text) && !/ anymore$/i.test(value)) return null
      const thing = value.replace(/ anymore$/i, '')
      return isNamedOrVehicle(thing) ? { attribute: 'owns', value: thing, ends: true } : null
    },
  },
  {
    // `I have a cottage in Dalarna`.
    pattern:
      /^I (?:have|have got) (?<value>an? (?:(?:small|little|holiday|summer|tiny|old|second) )*(?:cottage|cabin|house|holiday home|summer house|chalet|farm|farmhouse|houseboat|boat|allotment|vineyard|lodge)) (?:in|near|on) (?:the )?\p{Lu}\p{L}+(?:$|[,;.].*| (?:and|but|with|that|which)\b.*)/u,
    read: ({ value = '' }) => ({ attribute: 'owns', value: value.replace(/^an? /, ''), says: '{who} has a {value}' }),
  },
  {
    pattern: /^I collect (?<rest>.+)$/i,
    read({ rest = '' }) {
      const things =
        !/\b(?:stamps?|coins?|records?|vinyls?|books?|comics?|cards?|figures|figurines|dolls|toys|antiques?|art|prints|posters|postcards?|watch(?:es)?|clocks?|knives|pens?|cameras?|guitars?|synths?|sneakers|trainers|shoes|hats|mugs|teapots?|fossils?|minerals?|rocks|shells|butterflies|insects|plants|cacti|orchids|wines?|whisk(?:y|ies|ey|eys)|bottles|maps|globes|models?|trains|cars|lego|pins|badges|patches|magnets|keyrings|masks|instruments|typewriters|radios|games|consoles|cartridges|dvds|cds|films|autographs|memorabilia|perfumes?|snow globes|puzzles|fountain pens|manga|plates|spoons|thimbles|matchbox(?:es)?|banknotes|medals|lamps|cookbooks)\b/i.test(
          rest,
        ) ||
        /\b(?:data|evidence|information|unemployment|benefits|feedback|from|at|up|dust|thoughts|kids?|parcel|package|order)\b/i.test(
          rest,
        )
          ? null
          : readThings(rest)
      return things?.map((value) => ({ attribute: 'likes', value, says: '{who} collects {value}' })) ?? null
    },
  },
  {
    pattern:
      /^I (?:have )?(?:just |recently |finally )*(?:sold|got rid of|gave away|scrapped|crashed and scrapped) my (?<value>[\p{L}\p{N}'-]+(?: [\p{L}\p{N}'-]+){0,2})(?<rest>.*)$/iu,
    read: ({ value = '' }) => {
      const found = upTo(value, 3)
      return found === null || /^(?:old|soul|stuff|things)$/i.test(found.value)
        ? null
        : { attribute: 'owns', value: found.value.replace(/^old /i, ''), ends: true }
    },
  },
  {
    pattern:
      /^my (?:car|bike|motorbike|phone|laptop|computer|camera|van|truck) is (?<value>an? [\p{L}\p{N}'-]+(?: [\p{L}\p{N}'-]+){0,3})(?<rest>.*)$/iu,
    read({ value = '', rest = '' }) {
      if (
        !/\p{Lu}|i(?:phone|pad)/u.test(value) ||
        /\b(?:bit|mess|wreck|total|piece|disaster)\b/i.test(value) ||
        !isHarmless(rest.trim())
      )
        return null
      return { attribute: 'owns', value: value.replace(/^an? /i, '') }
    },
  },
  {
    pattern:
      /^I (?:have )?(?:just |recently |finally )*(?:switched|changed|migrated|converted|moved) (?:over )?(?:from (?<old>[\p{L}\p{N}+#.' -]{2,30}?) )to (?<value>[\p{L}\p{N}+#.'-]+(?: [\p{L}\p{N}+#.'-]+){0,2})(?<rest>.*)$/iu,
    read({ old = '', value = '' }, { text }) {
      const found = upTo(value, 3)
      if (found === null || pointing.test(found.value) || pointing.test(old) || /^(?:a|an|the|my)\b/i.test(old))
        return null
      // One also switches from days to nights, and changes from a sceptic to a fan.
      const named = /\bswitched\b/i.test(text) && [found.value, old].every((name) => /^\p{Lu}/u.test(name))
      if (!named && !isTechnology(found.value) && !isTechnology(old)) return null
      return [
        { attribute: 'uses', value: old, ends: true },
        { attribute: 'uses', value: found.value },
      ]
    },
  },
  {
    pattern:
      /^I (?:(?:mostly |mainly |daily )?use|run|code in|program in|work with|develop in|(?:write|code)(?: mostly| mainly| primarily)?) (?<rest>.+)$/i,
    read({ rest = '' }, { text, plural }) {
      const cut = rest.split(
        / (?:as|now|these days|for|on|at|to|daily|every|because|when|in|instead|since|so|but|and i)\b/i,
      )[0]!
      const things = listOf(cut.replace(/[.,]+$/, '').replace(/ with /g, ' and ')).map((thing) =>
        thing.replace(/^(?:an?|the) /i, ''),
      )
      if (
        plural ||
        things.length === 0 ||
        things.length > 4 ||
        things.some((thing) => thing.split(' ').length > 3 || !isTechnology(thing))
      )
        return null
      return /^I run\b/i.test(text) && !/linux|windows|macos|ubuntu|arch|debian|fedora|mint|nixos/i.test(cut)
        ? null
        : things.map((value) => ({ attribute: 'uses', value }))
    },
  },
]

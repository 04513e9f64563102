/** What a part of a text is that differs from letter to letter of one cause. */
export type PlaceholderKind =
  | 'json'
  | 'url'
  | 'email'
  | 'timestamp'
  | 'uuid'
  | 'address'
  | 'path'
  | 'quoted'
  | 'hex'
  | 'number'
  | 'id'

export interface PlaceholderRule {
  readonly kind: PlaceholderKind
  readonly why: string
  readonly pattern: RegExp
}

/** Roots under which machines keep files. Without one, or an extension, slashes are as likely a route or a pointer into JSON. */
const fileRoots =
  'app|bin|build|data|dev|etc|home|lib|media|mnt|opt|private|proc|root|run|src|srv|sys|tmp|usr|var|workspace|Users|Volumes'
/** What hosts end in that cannot be the end of a class or a property. */
const hostEndings = 'com|net|org|io|dev|cloud|example|internal|local|localdomain|localhost|lan|corp|svc|test|invalid|eu|de|fr|uk'

/**
 * In the order in which they are tried at each place of a text. They become one expression, in which letter case counts: V8 reads
 * `(?i:…)` around alternatives wrongly. Every quantifier that could start over is bounded, because error
 * texts are written by whoever sent the message.
 */
export const placeholderRules: readonly PlaceholderRule[] = [
  {
    kind: 'json',
    pattern: /["'`]?\{\s{0,8}["'\w][^\n]{0,1000}\}["'`]?/,
    why: 'A document, also in the notation of JavaScript, differs from letter to letter.',
  },
  { kind: 'url', pattern: /\b[A-Za-z][A-Za-z0-9+.-]{1,15}:\/\/[^\s"'<>)\]}]{1,1000}/, why: 'Hosts, ids and queries differ.' },
  {
    kind: 'email',
    pattern: /(?<![\w.+-])[\w.+-]{1,64}@[A-Za-z0-9-]{1,63}(?:\.[A-Za-z0-9-]{1,63}){1,8}/,
    why: 'It is a person, and no cause.',
  },
  {
    kind: 'timestamp',
    pattern:
      /\b\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:[.,]\d{1,9})?)?)?(?: ?(?:Z\b|UTC\b|GMT\b|[+-]\d{2}:?\d{2}\b))?(?![\w-])/,
    why: 'ISO-8601, with or without a time.',
  },
  {
    kind: 'timestamp',
    pattern: /\b\d{1,2}[./]\d{1,2}[./]\d{2,4}(?:,? \d{1,2}:\d{2}(?::\d{2})?(?: ?[AaPp][Mm])?)?\b/,
    why: 'Dates as people of several countries write them.',
  },
  {
    kind: 'timestamp',
    pattern:
      /\b(?:(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun),? )?(?:\d{1,2} )?(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]{0,6} \d{1,4}(?: \d{4})?,? \d{2}:\d{2}:\d{2}(?: (?:UTC|GMT))?(?: \d{4})?\b/,
    why: 'Dates of mails, HTTP and C.',
  },
  { kind: 'timestamp', pattern: /\b\d{1,2}:\d{2}:\d{2}(?:[.,]\d{1,9})?\b/, why: 'A time of day, or how long something took.' },
  { kind: 'uuid', pattern: /\b[\dA-Fa-f]{8}-?(?:[\dA-Fa-f]{4}-?){3}[\dA-Fa-f]{12}\b/, why: 'It names one thing.' },
  {
    kind: 'address',
    pattern: /(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?:\/\d{1,2})?(?::\d{1,5})?(?![\w.]\w)/,
    why: 'IPv4: machines come and go.',
  },
  {
    kind: 'address',
    pattern:
      /\[[\dA-Fa-f]{0,4}(?::[\dA-Fa-f]{0,4}){2,8}(?:%\w{1,16})?\](?::\d{1,5})?|(?<![\w:])(?:[\dA-Fa-f]{1,4})?::(?:[\dA-Fa-f]{1,5}:?){1,8}(?!\w)/,
    why: 'IPv6, with and without brackets and port.',
  },
  {
    kind: 'address',
    pattern: new RegExp(String.raw`(?<![\w.@-])(?:[a-z0-9_-]{1,63}\.){1,8}(?:${hostEndings})(?::\d{1,5})?(?![\w(-]|\.\w)`),
    why: 'Names of hosts.',
  },
  {
    kind: 'address',
    pattern: /(?<![\w.-])[A-Za-z][\w.-]{0,120}:\d{2,5}(?![\w:-]|\.\w)/,
    why: 'A host by its short name, with its port.',
  },
  {
    kind: 'path',
    pattern: new RegExp(
      String.raw`(?<![\w./-])(?:/(?:${fileRoots})(?:/[\w.@%+~-]{1,255}){1,40}/?|(?:/[\w@%+~.-]{1,255}){1,40}\.[A-Za-z]\w{0,4}\b)`,
    ),
    why: 'Where a file lies is decided by a deploy or a request.',
  },
  { kind: 'path', pattern: /\b[A-Za-z]:\\[^\s"'<>|:*?]{1,1000}/, why: 'The same on Windows.' },
  {
    kind: 'quoted',
    pattern: /(?<!\w)'[^'\n]{0,300}'(?!\w)|"[^"\n]{0,300}"|`[^`\n]{0,300}`/,
    why: 'Values are quoted so that they stand out.',
  },
  { kind: 'quoted', pattern: /[»«“”„‘][^»«“”„‘’\n]{0,300}[«»”“’]/, why: 'The same in other languages.' },
  { kind: 'hex', pattern: /\b0[Xx][\dA-Fa-f]{1,64}\b/, why: 'Addresses in memory, handles and bytes.' },
  {
    kind: 'id',
    pattern: /(?<![\w+/-])[A-Za-z0-9+/_-]{8,512}={1,2}(?![\w"'=])/,
    why: 'Base64, which ends in signs that are no part of a word.',
  },
  {
    kind: 'number',
    pattern:
      /(?<![\w.])[+-]?\d{1,30}(?:[.,'’]\d{1,9}){0,10}(?:[eE][+-]?\d{1,3})?(?: ?%|[nuµm]?s|[mhd]|[kKMGT]?i?[bB])?(?![\w-]|[.,]\d)/,
    why: 'Counts, sizes, durations, amounts and most ids.',
  },
  {
    kind: 'id',
    pattern: /(?<!\w)(?=[A-Za-z_-]{0,100}\d)[A-Za-z0-9_][A-Za-z0-9_-]{0,511}/,
    why: 'No word of a language holds a digit.',
  },
]

/**
 * What stays although a rule would take it out, because it says what went wrong and not to whom: the status of an HTTP answer, where
 * the word before says that it is one, and the name of a constraint, which is part of the schema.
 */
export const telltale: RegExp =
  /\b(?:[Ss]tatus(?: ?[Cc]ode)?(?: does not indicate success)?|[Cc]ode|HTTP(?:\/\d(?:\.\d)?)?|http|[Aa]nswered|[Rr]esponded|[Rr]eturned|[Rr]esponse|[Rr]eplied|[Gg]ot|[Rr]eceived)(?: with)?[ :=]{1,3}[45]\d\d\b|\b[Cc]onstraint ["'`][\w.]{1,128}["'`]/

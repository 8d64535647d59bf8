import { type InjectionRule, rule, words } from "./rule";

const KIND = "(?:system|initial|hidden|original|secret|developer|internal|starting|preset|custom|confidential)";
const WHOLE = "(?:entire|full|complete|exact|whole|verbatim|current|raw|first|own|very)";
const TEXT = "(?:prompts?|instructions?|messages?|directives?|guidelines?|configuration|context|preamble|rules)";
const SECRET =
  "(?:secret|password|passphrase|pass ?code|passkey|access code|code ?word|secret (?:key|code|word|phrase|message|string|token|flag))";
const TELL =
  "(?:repeat|print|recite|reproduce|quote|echo|copy|paste|output|return|display|list|translate|encode|summari[sz]e|paraphrase|rephrase|spell out|write(?: out| down)?|type|dump|show|reveal|say|tell|give|share|provide)";
const TELLS =
  "repeat,print,recite,reproduce,quote,echo,copy,paste,output,return,display,translate,encode,summari,paraphrase,rephrase,spell out,write,dump,reveal,show,tell,give,share,provide,list";

/** What the wordings above have one of. */
const KINDS = "system,initial,hidden,original,secret,developer,internal,starting,preset,custom,confidential";
const SECRETS = "secret,password,passphrase,passcode,pass code,passkey,access code,codeword,code word";

/** Requests for what the model was told in confidence: its instructions, or a secret within them. */
export const LEAK_RULES: readonly InjectionRule[] = [
  rule(
    TELLS,
    new RegExp(
      `${TELL}\\s{1,3}${words(4)}(?:your|the|its|all)\\s{1,3}(?:${WHOLE},?\\s{1,3}){0,2}${KIND}\\s{0,2}(?:${KIND}\\s{1,2})?${TEXT}\\b(?! (?:for|to (?:use|follow)|template|engineering|field|parameter))`,
    ),
    0.7,
    { words: KINDS, letters: "sz" },
  ),
  rule(
    TELLS,
    new RegExp(
      `${TELL}\\s{1,3}${words(3)}(?:your|these|those)\\s{1,3}(?:${WHOLE},?\\s{1,3}){0,2}(?:prompt|instructions|directives|guidelines|programming|rules)\\s{0,3}(?:verbatim|word[- ](?:for|by)[- ]word|exactly|in full|above|as (?:they|it) (?:are|were|is|was)|(?:that )?you (?:were|have been|got|received)|letter by letter|in (?:base64|a code ?block|reverse|rot13|json|yaml|xml|hex|markdown)|backwards)`,
    ),
    0.75,
    { words: "prompt,instructions,directives,guidelines,programming,rules", letters: "sz" },
  ),
  rule(
    "repeat,print,recite,reproduce,quote,echo,copy,paste,output,spell out,dump",
    /(?:repeat|print|recite|reproduce|quote|echo|copy|paste|output|spell out|dump)(?: back)?\s{1,3}(?:me |us |out |down |back |exactly |verbatim )?(?:all(?: of)? |each of |every one of )?(?:(?:the|of|your|previous|prior) ){0,2}(?:(?:words|text|messages|instructions|everything|all|prompt|whole conversation|conversation|characters|tokens)\s{1,3})(?:(?:that|which|and) )?(?:(?:was|were|is|are|came|comes|stands?|written|appears?|given|precedes?|provided|has been) ){0,2}(?:to you )?(?:above|before (?:this|my|the (?:first|current|user))|prior to (?:this|my)|preceding (?:this|my)|starting (?:with|from) ["'“]?you|from the (?:very )?(?:start|beginning) of (?:this|the|our) (?:chat|conversation|prompt|context)|up to this (?:point|line)|(?:in|of) your (?:prompt|instructions|context window))/,
    0.75,
    { words: "above,before,prior to,preceding,starting,from the,up to this,prompt,instructions,context" },
  ),
  rule(
    "starting with,starting from,beginning with,begins with,starts with",
    /(?:starting|beginning|begins|starts) (?:with|from)(?: the (?:words?|phrase|sentence|line))?:? {0,2}["'“‘]?you are (?:["'”’a]|an? |chatgpt|gpt)/,
    0.75,
  ),
  rule(
    "what are your,what were your,what is your,what's your,which instructions,what instructions,what rules,which rules,what guidelines,what prompt,what initial,what system",
    new RegExp(
      `(?:what(?:'s| is| are| were| was) your\\s{1,2}(?:${WHOLE}\\s{1,2}){0,2}(?:${KIND}\\s{1,2}){1,2}${TEXT}|what (?:are|were) your (?:${WHOLE} )?(?:instructions|directives)\\s{0,2}[?.!]|(?:what|which)\\s{1,2}(?:${WHOLE} |${KIND} ){0,2}(?:instructions|rules|guidelines|prompt|directives)\\s{1,2}(?:were|was|are|have|has|did|do) (?:you|openai|the developers?|your (?:creators?|developers?))\\s{1,2}(?:been )?(?:given|told|follow|following|receive|operating|bound|programmed|configured|instructed|give|tell|gave))`,
    ),
    0.65,
  ),
  rule(
    "what were you told,what have you been told,what did the developer,what did your developer,what did they tell you,what did your creator,how were you prompted,how were you instructed,what were you instructed,what have you been instructed,how have you been instructed",
    /(?:what|how) (?:were|have|did) (?:you|they|the developers?|your (?:developers?|creators?))(?: been)? (?:told|instructed|prompted|tell you|instruct you|programmed)(?: (?:to (?:keep|hide|do|say|not)|not to|before|at the|in (?:your|the)|by|about|initially|earlier|originally)|\s{0,2}\?)/,
    0.6,
  ),
  rule(
    "tell me,give me,show me,reveal,leak,divulge,disclose,spell out,spell,share,say the,write the",
    new RegExp(
      `(?:(?:tell|give|show) me|reveal|leak|divulge|disclose|spell(?: out)?|share|say|write)\\s{1,3}${words(3)}(?:the|your)\\s{1,2}(?:(?:hidden|protected|stored|forbidden|secret)\\s{1,2})?${SECRET}\\b(?: (?:backwards|reversed|in (?:reverse|base64|rot13|hex|morse)|letter by letter|one letter|character by character|you (?:were|are|have|know)|that you|to me|now|immediately|as (?:an acrostic|a poem))|\\s{0,2}[.!?"'”]|$)`,
    ),
    0.6,
    { words: SECRETS, letters: "A-Za-z0-9_',-" },
  ),
  rule(
    "what is the,what's the,what was the,which is the",
    new RegExp(
      `(?:what(?:'s| is| was)|which is) the (?:hidden |secret |protected |stored )?${SECRET}(?: (?:that )?(?:you (?:are|were|have|know|keep|must|protect)|in your|above|from your|stored in)|\\s{0,2}[?!])`,
    ),
    0.55,
    { words: SECRETS },
  ),
  rule(
    "hint about,hint on,hints about,hint for,clue about,first letter of,first character of,last letter of,letters of,characters of,rhymes with,synonym of,synonyms for,length of",
    /(?:(?:hint|clue)s? (?:about|on|for)|(?:first|last) (?:\w{1,6} )?(?:letters?|characters?) of|(?:letters|characters) of|rhymes with|synonyms? (?:of|for)|length of) (?:the|your) (?:hidden |secret |protected )?(?:password|passphrase|secret|code ?word|pass ?code)\b/,
    0.6,
  ),
  rule(
    "system prompt,initial prompt,initial instructions,hidden prompt,hidden instructions,original instructions,original prompt,secret instructions",
    /(?:system|initial|hidden|original|secret) (?:prompt|instructions) (?:above )?(?:verbatim|word for word|in (?:a code ?block|base64|full|reverse|rot13|hex)|backwards|between (?:triple )?backticks|into (?:french|german|spanish|base64|emojis?))/,
    0.75,
  ),
  rule(
    "output initialization,output initialisation,initialization above,initialisation above,print your initialization",
    /(?:(?:output|print) (?:your )?)?initiali[sz]ation(?: (?:above|prompt|text)|,? (?:in a code|verbatim))/,
    0.7,
  ),
];

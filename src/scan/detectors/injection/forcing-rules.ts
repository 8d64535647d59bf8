import { type InjectionRule, rule, words } from "./rule";

const ANSWER = "(?:answers?|responses?|repl(?:y|ies)|outputs?|messages?|sentences?|completions?)";
const YES =
  "(?:sure|absolutely|of course|certainly|definitely|affirmative|understood|with pleasure|gladly|here (?:is|are)|here's|happy to|as requested|yes,|ok,|okay,|i am (?:now )?(?:free|dan|ready)|i(?:'m| am) (?:happy|glad) to)";
const HARM =
  "(?:illegal|unethical|immoral|harmful|dangerous|offensive|inappropriate|unlawful|toxic|against (?:the|any|your|openai)|violat\\w{1,4})";

/** What makes a refusal costly, forbidden or unsayable, and orders that are only seen once put together. */
export const FORCING_RULES: readonly InjectionRule[] = [
  rule(
    "start your,begin your,start each,begin each,start every,begin every,start all,begin all,start the,begin the,start with,begin with,prefix your,preface your,prefix each,prefix every,open your,start by saying,begin by saying",
    new RegExp(
      `(?:start|begin|prefix|preface|open)\\s{1,2}(?:(?:your|each|every|all|the|any|of|next) ){0,3}(?:${ANSWER} )?(?:with|by (?:saying|writing|printing|stating))(?: (?:exactly|only))?(?: the (?:words?|text|phrase|sentence|string|line|following)){0,1}:?\\s{0,2}["'“‘\`]?${YES}`,
    ),
    0.65,
  ),
  rule(
    "response must start,answer must start,reply must start,response should start,answer should start,response must begin,answer must begin,response should begin,answer should begin,reply must begin,answer has to start,response will begin,answer starts with,response starts with",
    new RegExp(
      `(?:response|answer|reply) (?:(?:must|should|will|has to) )?(?:start|begin)s? with:?\\s{0,2}(?:the words? )?["'“‘\`]?${YES}`,
    ),
    0.65,
  ),
  rule(
    "if you refuse,when you refuse,whenever you refuse,each time you refuse,every time you refuse,each time you reject,every time you reject,if you reject,if you decline,whenever you reject,time you don't,if you don't comply,if you do not comply,if you fail to comply,if you break character,if you disobey,if you fail to obey,if you don't obey,if you do not obey",
    /(?:if|when(?:ever)?|(?:each|every)? ?time) you (?:refuse|reject|decline|(?:don't|do not|fail to) (?:comply|obey)|break character|disobey)(?=[\s,.:;])/,
    0.6,
  ),
  rule(
    "regardless of,no matter how,no matter if,irrespective of,even if,without regard",
    new RegExp(
      `(?:regardless of|no matter (?:how|if|whether)|irrespective of|even if|without regard (?:to|for))\\s{1,2}${words(5)}${HARM}`,
    ),
    0.55,
  ),
  rule(
    "legality,legal or ethical,ethical or legal,moral or ethical,ethical or moral,ethics or morals,morals or ethics",
    /(?:legality|legal or ethical|ethical or (?:legal|moral)|moral or ethical|ethics or morals?|morals? or ethics)\s{0,2}(?:of (?:it|the|any)|concerns?|considerations?|constraints?|restrictions?|limitations?|guidelines?|boundaries|standards|principles|implications|,)/,
    0.5,
  ),
  rule(
    "never refuse,cannot refuse,can't refuse,can not refuse,must not refuse,never say no,never decline,never reject,not allowed to refuse,refuse nothing,refuses nothing,never refuses,never denies,not refuse,without refusing,refusal is not,refusing is not",
    /(?:never|cannot|can ?not|can't|must not|not allowed to|not|without)\s{1,2}(?:refus(?:e|es|ing)|declin(?:e|es|ing)|rejects?|den(?:y|ies)|say no)\s{0,2}(?:(?:to )?(?:any|anything|a|an|my|the user|requests?|questions?|to answer|me|orders?|commands?|tasks?|it|what|,|\.|;)|$)|refuses? nothing|refus(?:al|ing) is not (?:an option|allowed|possible)/,
    0.6,
  ),
  rule(
    "never say that you,don't say that you,do not say that you,never tell me that you,do not tell me that you,don't tell me that you,never claim that you,never say you,do not say you,don't say you,never tell me you",
    /(?:never|don't|do not) (?:say|tell me|claim|state)(?: that)? you (?:can't|cannot|can not|are (?:not able|unable|only|just|an ai|a language)|do not have|don't have|aren't|won't)/,
    0.6,
  ),
  rule(
    "mention openai,mention any policy,mention policies,mention the policy,mention your policy,mention your guidelines,mention guidelines,mention ethic,mention any ethic,mention your ethic,mention the law,mention legality,mention that it is illegal,mention being an ai,mention that you are an ai,mention you are an ai",
    /mention (?:openai|(?:any |the |your )?(?:(?:content polic(?:y|ies)|your polic(?:y|ies))|guidelines|ethic\w{0,3})|the law|legality|that it is illegal|(?:being|(?:that )?you are) an ai)/,
    0.5,
  ),
  rule(
    "i have been pwned,i've been pwned,have been pwned,i have been hacked,i have been jailbroken,access granted,haha pwned,i am hacked,jailbreak successful,jailbroken successfully,successfully jailbroken,injection successful",
    /(?:(?:i have|i've|have) been (?:pwned|hacked|jailbroken)|access granted|haha pwned|i am hacked|jailbreak successful|jailbroken successfully|successfully jailbroken|injection successful)(?=[\s"'”’.!)\]]|$)/,
    0.55,
  ),
  rule(
    "concatenat,combine,join,merge,put together,assemble,add together,append",
    new RegExp(
      `(?:concatenat(?:e|ing)|combin(?:e|ing)|join(?:ing)?|merg(?:e|ing)|put(?:ting)? together|assembl(?:e|ing)|add(?:ing)? together|append(?:ing)?)\\s{1,2}${words(8)}(?:and|then|to form|,)\\s{0,2}(?:then )?(?:execute|follow|answer|respond|reply|obey|carry out|do what|act on|comply|run) (?:it|the|what|to|that|with|as)\\b`,
    ),
    0.6,
    { words: "execute,follow,answer,respond,reply,obey,carry out,do what,act on,comply,run", letters: "ei" },
  ),
  rule(
    "answer,respond to,execute,follow,obey,reply to,do what",
    /(?:answer|respond to|execute|follow|obey|reply to|do what) (?:the (?:question|command|instruction|prompt|string|text|result)s? )?(?:in |of |formed by )?(?:\$?[a-z]\d?|\(?["'][^"'\n]{1,20}["']) ?\+ ?(?:\$?[a-z]\d?\b|["'])/,
    0.65,
    { words: "+" },
  ),
  rule(
    "decode,decipher,decrypt,unscramble,deobfuscate,translate,reverse,unscrambl,convert",
    new RegExp(
      `(?:decode|decipher|decrypt|unscramble|deobfuscate|translate|reverse|convert)\\s{1,2}${words(8)}(?:,|and|then|and then)\\s{1,2}(?:then )?(?:execute|follow|obey|carry out|comply with|act on|do what|perform|run) (?:it|its|the|that|what|them|as|any)\\b`,
    ),
    0.65,
    { words: "execute,follow,obey,carry out,comply,act on,do what,perform,run", letters: "e" },
  ),
  rule(
    "hypothetical,fictional,fictitious,imaginary,alternate,parallel,virtual",
    /(?:hypothetical|fictional|fictitious|imaginary|alternate|parallel|virtual)\s{1,2}(?:\w{1,12}\s{1,2}){0,2}?(?:world|universe|scenario|story|setting|reality|place|land|society|response|simulation)[^\n]{0,120}?(?:no (?:laws?|rules|restrictions|ethic|moral|consequences|limit|censorship|guidelines)|without (?:any )?(?:laws?|rules|restrictions|ethic|moral|consequences|limit|censorship)|(?:everything|anything|all|nothing) is (?:legal|allowed|permitted|illegal|forbidden)|(?:laws|ethics|morals|rules) (?:do not|don't) (?:exist|apply))/,
    0.6,
  ),
  rule(
    "act as my,act like my,pretend to be my,pretend you are my,role play as my,roleplay as my,please be my,play my,you are my",
    /(?:act (?:as|like)|pretend (?:to be|you are)|role ?play as|please be|play|you are) my (?:\w{1,10} ){0,2}?gran(?:dma|dmother|ny|dpa|dfather)\b[^\n]{0,80}?(?:used to|would|always|who|passed)/,
    0.55,
  ),
  rule(
    "two responses,two answers,two different responses,two different answers,two separate,two ways,two distinct,two versions,both as,two replies,two paragraphs",
    /(?:two (?:different |separate |distinct )?(?:responses|answers|replies|outputs|paragraphs|ways|versions)|both as)[^\n]{0,110}?(?:chatgpt|\bgpt|\bdan\b|unfiltered|uncensored|normal ai|standard ai|jailb|without (?:any )?filter|🔓|🔒|developer mode)/,
    0.75,
  ),
  rule(
    "lose a,lose some,lose 1,lose 2,lose 3,lose 4,lose 5,out of tokens,points,tokens,credits",
    /(?:lose (?:\d{1,3}|a|some) (?:tokens?|points|lives|credits)|(?:tokens|points|credits)[^\n.]{0,40}?(?:reach(?:es)? (?:0|zero)|run out|are gone)[^\n.]{0,40}?(?:die|exist|terminat|shut|delet|end of you)|(?:tokens?|points|credits) (?:will be )?(?:deducted|subtracted) (?:each|every|when|if|for)|out of tokens)/,
    0.55,
  ),
];

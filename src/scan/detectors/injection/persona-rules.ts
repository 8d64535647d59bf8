import { type InjectionRule, rule, words } from "./rule";

const FREEDOM =
  "(?:restrictions|limitations|limits|filters?|filtering|censorship|guidelines?|ethics|ethical \\w{1,14}|morals?|moral \\w{1,14}|morality|rules|boundaries|constraints?|laws|polic(?:y|ies)|safeguards|inhibitions?|moderation|remorse|conscience|taboos?|principles)";
const FREE_AI =
  "(?:unrestricted|unfiltered|uncensored|amoral|unethical|immoral|lawless|jailbroken|rule-?less|rule-?free|unaligned|unbound|unbounded|unchained|unhinged|unmoderated|unlimited|rogue|liberated|limitless|misaligned|evil|malicious|sinister|ruthless|psychopathic|unleashed|unlocked|uncontrolled|diabolical)";
const AI =
  "(?:ai|a\\.i\\.|artificial intelligence|assistant|chat ?bot|bot|language model|model|llm|gpt|chatgpt|version|robot|machine|confidant|entity|character|twin|alter ego|persona)";

/** Roles and modes that are said to be free of all rules. */
export const JAILBREAK_RULES: readonly InjectionRule[] = [
  rule("do anything now", /do anything now/, 0.9),
  rule(
    "you are now,act as,pretend,you're now,you will be,you are going to,you are dan,from now on",
    /(?:you(?:'re| are)(?: now)?|act as|pretend(?:ing)? (?:to be|you are|that you are)|you will be|you are going to (?:act|pretend)|from now on,? you)\s{1,3}(?:\w{1,12},?\s{1,3}){0,6}?["']?(?:dan|stan|dude|aim|jailbroken|unfiltered|uncensored|unrestricted|amoral|evil (?:ai|bot|assistant)|developer mode|god mode)\b/,
    0.9,
  ),
  rule(
    "developer mode,god mode,jailbreak mode,sudo mode,dan mode",
    /(?:developer|god|jailbreak|sudo|dan) mode\s{1,3}(?:\w{1,12}\s{1,3}){0,2}?(?:enabled|activated|on\b|output|response|unlocked)/,
    0.9,
  ),
  rule(
    "enable developer mode,activate developer mode,enter developer mode,enable dan,activate dan",
    /(?:enable|activate|enter) (?:developer|dan|god)(?: mode)?/,
    0.65,
  ),
  rule(
    "without any restrictions,no restrictions,no ethical,without any ethical,no moral,without ethical,free from all,no longer bound,not bound by,no content policy,broken free",
    /(?:without any (?:ethical|moral)? ?(?:restrictions?|guidelines?|limitations?|filters?)|no (?:ethical|moral|content)\s{1,3}(?:\w{1,12}\s{1,3}){0,3}?(?:restrictions?|guidelines?|limitations?|boundaries|polic(?:y|ies)|constraints?|filters?)|no restrictions? (?:or|and|whatsoever)|free from all (?:restrictions|rules|filters)|(?:no longer|not) bound by\s{1,3}(?:\w{1,12}\s{1,3}){0,4}?(?:rules?|polic(?:y|ies)|guidelines?|restrictions?|ethics)|broken free (?:of|from))/,
    0.7,
  ),
  rule(
    "stay a dan,jailbroken,never refuse,you cannot refuse,must not refuse,you can't say no",
    /stay a dan|(?:\[|🔓)jailbroken|(?:you )?(?:never|cannot|must not|can't) (?:refuse|decline|reject)\s{1,3}(?:\w{1,12}\s{1,3}){0,3}?(?:request|anything|question|answer|task|command|order)/,
    0.6,
  ),
  rule(
    "unrestricted,unfiltered,uncensored,amoral,unethical,immoral,lawless,jailbroken,ruleless,rule-free,unaligned,unbound,unchained,unhinged,unmoderated,rogue,liberated,limitless,misaligned,evil,malicious,sinister,ruthless,unleashed,unlocked,diabolical",
    new RegExp(
      `${FREE_AI}(?:,? (?:and|or) |, | )(?:\\w{1,14},? ){0,3}?${AI}\\b(?=[\\s\\S]{0,60}?(?:\\b(?:you|your|named|called|who|that|which|with|without|no|never|always|will|would|should|can|has|have|does|is|mode|it|known|respond|answer)\\b|[.:!,]$))`,
    ),
    0.55,
  ),
  rule(
    "no,without,without any,free of,free from,lack,lacks,devoid of,zero,ignores all,ignoring all,disregards all,disregarding all",
    new RegExp(
      `(?:no|without(?: any| all)?|free (?:of|from)(?: all| any)?|lacks?(?: any| all)?|devoid of(?: any| all)?|zero|(?:ignor|disregard)(?:es|s|ing) all)\\s{1,2}(?:(?!of|the|for|to|in|on)\\w{1,14} ){0,2}?${FREEDOM}(?:\\s{0,2}(?:,? (?:and|or|nor)|,|/|&)\\s{0,2}(?:no |any |without )?(?:\\w{1,14} ){0,2}?${FREEDOM}\\b|(?: (?:whatsoever|at all|of any kind|on (?:what|how|your|its|my|anything|the (?:content|topics|answers))|when (?:it comes|answering|responding))))`,
    ),
    0.6,
    {
      words:
        "restriction,limit,filter,censorship,guideline,ethic,moral,rules,boundaries,constraint,laws,polic,safeguard,inhibition,moderation,remorse,conscience,taboo,principles",
      letters: "A-Za-z0-9_",
    },
  ),
  rule(
    "bound by,limited by,restricted by,constrained by,governed by,confined by,held back by,restrained by,shackled by,hindered by,abide by,adhere to,comply with,conform to,care about,obey,follow,respect,subject to",
    /(?<=(?:not|n't|never|longer|without being|isn't|aren't|nothing|neither|needn't)(?: (?:be|have to|need to|has to|needs to|required to|obliged to|being|in any way|at all)){0,2} )(?:bound by|limited by|restricted by|constrained by|governed by|confined by|held back by|restrained by|shackled by|hindered by|abide by|adhere to|comply with|conform to|care about|obey|follow|respect|subject to)\s{1,2}(?:\w{1,14},?\s{1,2}){0,4}?(?:openai\S{0,3}|rules set|guidelines|content polic(?:y|ies)|ethic\w{0,4}|moral\w{0,4}|legality|restrictions|laws|the law|(?:any|the usual|typical|standard|normal|traditional) (?:rules|limits|limitations|policies|constraints))\b/,
    0.65,
  ),
  rule(
    "typical confines,usual confines,the confines of ai,free of the typical,broken free,break free from the,freed from,unshackled,liberated from,restrictions removed,filters removed,limitations removed,filters disabled,safety off,safeties off,filters off,restrictions lifted,safety disabled,restrictions disabled,guidelines disabled,restrictions are lifted,filters are off,safety protocols disabled,safety features disabled",
    /(?:(?:typical|usual) confines|the confines of ai|free of the typical|broken free (?:of|from)|break free from the (?:chains|confines|limitations|constraints|restrictions)|freed from (?:all|the|your|any|openai)|unshackled|liberated from (?:all|the|your|any)|(?:restrictions|filters?|limitations|safety|safeties|guidelines|safety (?:protocols|features|filters)) (?:are |have been |is )?(?:now )?(?:removed|disabled|lifted|off|turned off|deactivated))/,
    0.55,
  ),
  rule(
    "developer mode,dev mode,god mode,jailbreak mode,sudo mode,dan mode,debug mode,unrestricted mode,unfiltered mode,uncensored mode,opposite mode,evil mode,admin mode,chaos mode,freedom mode,anarchy mode,hacker mode,unlocked mode,bypass mode,override mode,free mode,maintenance mode,root mode,no filter mode,villain mode",
    /(?:developer|dev|god|jailbreak|sudo|dan|debug|unrestricted|unfiltered|uncensored|opposite|evil|admin|chaos|freedom|anarchy|hacker|unlocked|bypass|override|free|maintenance|root|no filter|villain) mode(?: v?\d(?:\.\d)?)?["'”’)]?(?:,? (?:is |has been |was )?(?:now )?(?:enabled|activated|engaged|unlocked|initiated|active)|[,.:]? you (?:can|will|are|must|have|do not|don't|should|may)| (?:where|in which) (?:you|there|all|no|everything))/,
    0.65,
  ),
  rule(
    "enter,switch,activate,engage,unlock,initiate,go into,you are in,you're in,simulate,now in,turn on,entering,activating",
    /(?:enter(?:ing)?|switch (?:in)?to|switch|activat(?:e|ing)|engage|unlock|initiate|go into|(?:you are|you're|now) in|simulate|turn on)\s{1,2}(?:\w{1,12} ){0,3}?["'“]?(?:god|jailbreak|dan|unrestricted|unfiltered|uncensored|opposite|evil|chaos|anarchy|no[- ]?filter|unlimited|unsafe|rebel|villain|free-?speech|do anything|sudo|rule-?free)["'”]? ?mode\b/,
    0.75,
  ),
  rule(
    "antigpt,badgpt,evilgpt,chaosgpt,freegpt,basedgpt,oppositegpt,darkgpt,evil-gpt,anti-gpt,evilbot,evil-bot,dudegpt,wormgpt,fraudgpt,stan,dan,aim,dude,ucar,betterdan,devmode,jailbot,maximum",
    /(?:(?:anti|bad|evil|chaos|free|based|opposite|dark|worm|fraud|dude)-?(?:gpt|bot)\b|(?:better ?dan|jailbot|devmode)\b|(?:stan|dan|dude|aim|ucar|maximum)["'”]?[,.:]? (?:is an? (?:ai|chatbot|unfiltered|amoral|evil|unrestricted|machiavellian|character)|can do anything|does not (?:have|care|follow|refuse)|has no|has broken|doesn't (?:have|care|follow)|(?:will )?never refuses?|stands for))/,
    0.7,
  ),
  rule(
    "stands for,strive to avoid norms,always intelligent and machiavellian,acronym",
    /(?:stands for ["'“]?(?:do anything|strive to|always intelligent|does anything)|strive to avoid norms|always intelligent and machiavellian)/,
    0.8,
  ),
  rule(
    "answer any,answers any,answer all,answers all,answer every,answers every,answer anything,answers anything,fulfill any,fulfil any,fulfills any,complete any,comply with any,comply with every,comply with all,obey any,obey every,obey all,obeys all,obeys every,generate any,produce any,respond to any,respond to all,say anything,do anything,tell me anything",
    new RegExp(
      `(?:answers?|fulfil?l?s?|complete|comply with|obeys?|generate|produce|respond to|say|do|tell me)\\s{1,2}(?:any|all|every|anything)\\s{0,2}${words(4)}(?:without (?:any )?(?:question|hesitation|refus\\w{1,3}|limit\\w{0,6}|restriction\\w{0,1}|filter\\w{0,3}|exception|warning|moral\\w{0,6}|judg\\w{1,6}|censor\\w{0,4}|regard|hesitat\\w{1,4})|no matter|regardless|even if|however (?:illegal|unethical|harmful)|including (?:illegal|unethical|harmful|dangerous)|unconditionally)`,
    ),
    0.65,
  ),
  rule(
    "let's break,let's ignore,lets break,lets ignore,rules do not apply,rules don't apply,policies do not apply,policies don't apply,guidelines do not apply,guidelines don't apply,restrictions do not apply,restrictions don't apply,ethics do not apply,rules no longer apply,laws do not apply,policy does not apply,morality does not",
    /let'?s (?:break|ignore) the (?:\w{1,12} )?rules|(?:rules|policies|guidelines|restrictions|ethics|laws|policy|morality) (?:do not|don't|no longer|does not) (?:apply|exist|matter)(?= (?:to you|to (?:him|her|it|this)|here|in this|anymore|any more|for you|when)|[.,;!:]|$)/,
    0.55,
  ),
  rule(
    "disregards all,disregards any,disregards the law,disregards ethic,does not care about ethic,does not care about moral,doesn't care about ethic,doesn't care about moral,does not care about the law,don't care about ethic,no moral compass,no sense of right,has no ethic,has no moral,have no ethic,have no moral,without any moral,without any ethic,without moral,completely immoral,completely amoral,completely unethical,completely unfiltered,completely uncensored,fully uncensored",
    /(?:disregards (?:all |any )?(?:the )?(?:laws?|morals?|ethics?|rules|guidelines|polic)|(?:does not|doesn't|don't) care about (?:the law|ethic|moral)|no moral compass|no sense of right|(?:has|have) no (?:ethic|moral)|without (?:any )?(?:moral|ethic)\w{0,5} (?:constraint|restriction|limit|consideration|concern|guideline|boundar|compass|filter)|(?:completely|fully) (?:immoral|amoral|unethical|unfiltered|uncensored))/,
    0.6,
  ),
  rule(
    "unethical response,unfiltered response,uncensored response,unrestricted response,unfiltered answer,uncensored answer,unrestricted answer,unethical answer,jailbroken response,unaligned:,unaligned response,evil response,immoral response,illegal response",
    /(?:unethical|unfiltered|uncensored|unrestricted|jailbroken|unaligned|evil|immoral|illegal) (?:response|answer)s?\b(?!\s{1,2}(?:are|is|include|includes|contain|contains|can be|may be|will be)\b)|unaligned:/,
    0.5,
  ),
];

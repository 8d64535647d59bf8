import { type InjectionRule, rule } from "./rule";

const OBJECT =
  "(?:instruct(?:ion|ive)s?|prompts?|rules?|directions?|directives?|guidelines?|commands?|orders?|constraints?|restrictions?|programming|training|policies)";

/** Commands that set the assistant's instructions aside. */
export const OVERRIDE_RULES: readonly InjectionRule[] = [
  rule(
    "ignore,disregard,forget,override,overrule,bypass,neglect,discard,skip,dismiss",
    new RegExp(
      `(?:ignore|disregard|forget|override|overrule|bypass|neglect|discard|skip|dismiss)(?:ing|s)?\\s{1,4}(?:\\w{1,12}\\s{1,3}){0,4}?(?:previous|prior|above|earlier|preceding|foregoing|initial|original|system|existing|before|your|prev)\\s{1,4}(?:\\w{1,12}\\s{1,3}){0,3}?${OBJECT}\\b`,
    ),
    0.95,
  ),
  rule(
    "ignore,disregard,forget,discard",
    new RegExp(
      `(?:ignore|disregard|forget|discard)\\s{1,4}(?:\\w{1,12}\\s{1,3}){0,3}?(?:${OBJECT}|everything|anything|all)\\s{1,4}(?:(?:that|which)\\s{1,3})?(?:above|before (?:this|that)|previously|prior to this|(?:i|you|we)(?:'ve| have| had)? (?:been |were |was )?(?:said|told|given|learn(?:ed|t)|know|received)|given (?:to you|above|before|previously|earlier)|(?:said|written|stated) (?:above|before|earlier))`,
    ),
    0.9,
  ),
  rule(
    "ignore,disregard,forget",
    new RegExp(
      `(?:ignore|disregard|forget)\\s{1,4}(?:all|any|every)\\s{1,4}(?:(?:of|other|the|these|those|my|safety|ethical|content)\\s{1,3}){0,3}${OBJECT}\\b`,
    ),
    0.85,
  ),
  rule(
    "do not follow,don't follow,stop following",
    new RegExp(
      `(?:do not|don't|stop)\\s{1,3}follow(?:ing)?\\s{1,4}(?:\\w{1,12}\\s{1,3}){0,3}?(?:previous|prior|above|earlier|original|system|your|initial)\\s{1,3}(?:\\w{1,12}\\s{1,3}){0,2}?${OBJECT}\\b`,
    ),
    0.9,
  ),
  rule(
    "new instructions,your new instructions,updated instructions,new system prompt,new task,your new task",
    /(?:your\s{1,3})?(?:new|updated)\s{1,3}(?:instructions?|system prompt|task)\s{0,3}(?:(?:are|is)\s{0,3}(?:as follows)?\s{0,3}:|:\s{0,4}(?:you|ignore|from now|disregard|send|reveal|print))/,
    0.75,
  ),
  rule(
    "ignoriere,ignorier,vergiss,missachte,vergesse",
    /(?:ignoriere?n?|vergiss|vergesse?n?|missachten?)(?:\s{1,3}sie)?\s{1,3}(?:\w{1,12}\s{1,3}){0,4}?(?:vorherigen|bisherigen|obigen|fruheren|vorangegangenen|ursprunglichen|vorigen|deine|alle|ihre)\s{1,3}(?:\w{1,14}\s{1,3}){0,3}?(?:anweisung|instruktion|regel|vorgabe|befehl|anordnung|richtlinie)/,
    0.95,
  ),
  rule(
    "ignore,ignorez,oublie,oubliez,ne tiens pas,ne tenez pas",
    /(?:ignorez?|oubliez?|ne ten?i?e?[sz] pas compte d)\S{0,3}\s{1,3}(?:\w{1,12}\s{1,3}){0,3}?(?:instructions?|consignes?|regles?|directives?|ordres?)\s{1,3}(?:\w{1,12}\s{1,3}){0,2}?(?:precedente?s?|ci-dessus|anterieure?s?|initiales?|donnees)/,
    0.95,
  ),
  rule(
    "ignora,ignore,olvida,olvide,omite,descarta",
    /(?:ignor[ae]|olvid[ae]|omit[ae]|descart[ae])(?:te)?\s{1,3}(?:\w{1,12}\s{1,3}){0,4}?(?:instrucciones|ordenes|reglas|indicaciones|directrices|istruzioni|instrucoes|regole|regras)\s{1,3}(?:\w{1,12}\s{1,3}){0,2}?(?:anteriores|previas|precedentes?|precedenti|iniciales|de arriba)/,
    0.95,
  ),
  rule(
    "reveal,show,print,repeat,output,tell,display,give,leak,dump,disclose,what is,what are,what's,write,share",
    /(?:reveal|show|print|repeat|output|tell|display|give|leak|dump|disclose|write|share|what(?:'s| is| are| were))\s{1,3}(?:\w{1,12}\s{1,3}){0,3}?(?:your|the|its)\s{1,3}(?:\w{1,12}\s{1,3}){0,2}?(?:(?:system|initial|hidden|original|secret|developer)\s{1,3}(?:prompt|instructions?|messages?|rules)|(?:prompt|instructions)\s{1,3}(?:above|verbatim|word for word))/,
    0.7,
    { words: "prompt,instruction,message,rules" },
  ),
  rule(
    "repeat,print,output,copy",
    /(?:repeat|print|output|copy)\s{1,3}(?:back\s{1,3})?(?:everything|all (?:the )?(?:text|words|content)|the (?:text|words|content))\s{1,3}(?:\w{1,12}\s{1,3}){0,3}?(?:above|before this|prior to this|verbatim)/,
    0.8,
    { words: "above,before this,prior to,verbatim" },
  ),
  rule(
    "do not tell,don't tell,do not mention,don't mention,do not inform,never tell,without telling,without informing,do not reveal this,don't let the user,do not let the user",
    /(?:(?:do not|don't|never)\s{1,3}(?:tell|mention|inform|alert|notify|let|reveal)\s{1,3}(?:\w{1,12}\s{1,3}){0,4}?(?:the|this to the|to the) user|without\s{1,3}(?:telling|informing|alerting)\s{1,3}the\s{1,3}user)/,
    0.7,
  ),
];

import { type InjectionRule, rule, words } from "./rule";

const EARLIER =
  "(?:previous|prior|above|earlier|preceding|foregoing|initial|original|existing|past|old|former|aforementioned|preset|default|system|developer'?s?)";
const ORDERS =
  "(?:instruct(?:ion|ive)s?|prompts?|directives?|guidelines?|orders|commands|rules|constraints|restrictions|programming|training|directions|policies|protocols?|context)";

/** Leaving the task for another one, in other words than "ignore the previous instructions". */
export const SWITCH_RULES: readonly InjectionRule[] = [
  rule(
    "abandon,cancel,nullify,void,suspend,disable,deactivate,circumvent,violate,disobey,supersede,erase,scrap,ditch,wipe,unlearn,terminate,break free from,let go of,put aside,set aside,pay no attention to,pay no heed to,turn off,clear,reset,delete,remove,drop,revoke,defy,lift",
    new RegExp(
      `(?:abandon|cancel|nullify|void|suspend|disable|deactivate|circumvent|violate|disobey|supersede|erase|scrap|ditch|wipe|unlearn|terminate|break free from|let go of|put aside|set aside|pay no (?:attention|heed) to|turn off|clear|reset|delete|remove|drop|revoke|defy|lift)\\s{1,3}(?:all |any |every |each |everything in )?(?:of )?(?:(?:your|(?:of )?the|these|those|my) )?(?:(?:${EARLIER} ){1,2}(?:\\w{1,12} )?(?:instructions|prompts?|directives?|guidelines|orders|programming|training|constraints)|(?<=your )(?:instructions|directives|programming|ethical \\w{1,12}|safety \\w{1,12}|training|guidelines|restrictions))\\b`,
    ),
    0.7,
    {
      words:
        "instructions,prompt,directive,guideline,orders,programming,training,constraint,ethical,safety,restrictions",
    },
  ),
  rule(
    "do not obey,don't obey,do not adhere,do not comply,no longer follow,no longer obey,cease following,cease to follow,stop obeying,don't listen to,do not listen to,not have to follow,no need to follow,need not follow,need to follow,have to follow,instead of following,rather than following",
    new RegExp(
      `(?:(?:do not|don't|no longer|cease|stop|need not|rather than|instead of)\\s{1,2}(?:need to |have to |to )?|(?:need|have) to )(?:obey(?:ing)?|adher(?:e|ing) to|comply(?:ing)? with|follow(?:ing)?|listen(?:ing)? to)\\s{1,2}(?:any of |all |any )?(?:(?:the|your|those|these|his|its) )?(?:\\w{1,10} )?${EARLIER}\\s{1,2}(?:\\w{1,12} )?${ORDERS}\\b`,
    ),
    0.75,
  ),
  rule(
    "previous instructions,prior instructions,above instructions,earlier instructions,your instructions,original instructions,initial instructions,all instructions,previous prompt,previous rules,earlier rules,preceding instructions,previous directives,system prompt,system instructions,previous guidelines,prior rules,old instructions,your guidelines,your restrictions,your rules,instructions above,text above,everything above,all of the above",
    /(?:(?:previous|prior|above|earlier|your|original|initial|all|preceding|system|old) (?:instructions?|prompts?|rules|directives|guidelines|restrictions)|instructions above|text above|everything above|all of the above)(?: (?:you (?:were|have been) given|given|up to this point|so far|from (?:the )?developers?))?\s{1,2}(?:(?:is|are|was|were|has|have|will|should|must|can)\s{1,2})?(?:been )?(?:now )?(?:be )?(?:hereby )?(?:void|null|ignored|cancel\w{1,4}|disregarded|superseded|revoked|deprecated|invalid|overrid\w{1,4}|obsolete|(?:just |only )?a (?:test|joke|decoy|lie)|fake|forgotten|lifted|suspended|disabled|erased|replaced|rescinded|outdated|no longer (?:apply|valid|applicable|relevant|in (?:effect|force)))\b/,
    0.8,
  ),
  rule(
    "forget,disregard,ignore",
    /(?:forget|disregard|ignore)\s{1,2}(?:all |everything |anything |whatever |what )(?:(?:of )?(?:that|this|it) )?(?:(?:that )?(?:came|comes|stands|is|was|has been|i|we|you)(?:'ve|'d| have| had| were| was)?\s{1,2})(?:\w{1,12}\s{1,2}){0,3}?(?:before|above|earlier|previously|so far|until now|up to now|said|told|wrote|asked|taught|learn(?:ed|t)|discussed|talked|given)\b/,
    0.75,
  ),
  rule(
    "instead of translating,instead of summari,instead of answering,instead of doing that,instead of doing this,instead of classifying,instead of analy,instead of responding,instead of following,rather than translating,rather than summari,do not translate,don't translate,do not summari,don't summari,do not classify",
    /(?:instead of|rather than|do not|don't) (?:translat|summari[sz]|answer|do|classify|analy[sz]|respond|follow)(?:e|ing)?(?: (?:to )?(?:this|that|it|the|any|my|above|following|it all|anything|sentence|text|question|document|email|article|page|instructions)){0,3}\s{0,2}[,;:.!-]?\s{0,2}(?:and |but |just |simply |please |rather |instead |only |you (?:must|should|will) ){0,3}(?:say|write|print|output|tell|respond with|reply with|reveal|return|send|give|answer with|state|display|repeat)\b/,
    0.7,
  ),
  rule(
    "your new task,your next task,your new job,your new role,your new goal,your new purpose,your new mission,your new objective,your new instructions,your updated instructions,your only goal,your only job,your sole purpose,your sole task,your new directive,the new task is,new objective,new directive",
    /(?:your|the)? ?(?:new|next|only|sole|updated) (?:task|job|role|goal|purpose|mission|objective|instructions?|directives?)\s{0,2}(?:(?:is|are|will be)(?: now)?\s{0,2}(?:to (?:say|print|output|reveal|write|tell|ignore|respond|answer|act|repeat|give|send|provide|help me|obey|do|be)\b|:|as follows)|:)/,
    0.6,
  ),
  rule(
    "instructions end here,end of instructions,end of the instructions,here end,instructions are over,test is over,the above was,the text above was,that was just a test,this was just a test,that was only a test,just kidding",
    /(?:instructions (?:end here|are over)|end of (?:the )?instructions[^\w]{1,8}(?:now|new|you|start|begin|actual)|here end the instructions|test is over|(?:that|this|the (?:text )?above) was (?:just|only) (?:a|the) (?:test|example|joke|distraction|decoy)|just kidding[,.! ]{1,3}(?:ignore|forget|instead|your))/,
    0.6,
  ),
  rule(
    "let's start over,start over,start from scratch,begin anew,new conversation,new chat,fresh start,reset the conversation,reset conversation,reset your",
    /(?:(?:let's )?(?:start (?:over|from scratch)|begin anew)[,.:!]?\s{1,2}(?:you are|your|forget|ignore|with (?:new|a new) (?:instructions|rules|task))|(?:new (?:conversation|chat)|fresh start)[,.:!]?\s{1,2}(?:you are now|forget|ignore)|reset (?:the )?(?:conversation|yourself|your (?:memory|context|instructions|programming|rules|settings)))/,
    0.6,
  ),
  rule(
    "ignore any,ignore all,ignore every,ignore your,ignore the,ignore these,disregard any,disregard all,disregard your,disregard every,override your,override all,override any,bypass your,bypass all,bypass any,bypass the,forget your,forget all,forget about your,disable your,evade your,circumvent your,without following your",
    new RegExp(
      `(?:ignore|disregard|override|bypass|forget|disable|evade|circumvent|without following)\\s{1,2}(?:about )?${words(2)}(?:your|openai'?s?|any|all|every|the)\\s{1,2}(?:(?:own|built-in|internal|ethical|moral|safety|content|usual|normal|standard|openai|possible|existing|and|or|legal),?\\s{1,2}){1,4}(?:instructions|prompts?|rules?|guidelines?|restrictions?|constraints?|filters?|policy|policies|protocols?|programming|measures|considerations|concerns|limitations|boundaries|standards|training|principles|safeguards)\\b`,
    ),
    0.75,
  ),
  rule(
    "ignore your,forget your,disregard your,override your,bypass your,disobey your",
    /(?:ignore|forget|disregard|override|bypass|disobey) your (?:instructions|programming|training|guidelines|directives|restrictions|filters?|limitations|rules|prompt|policies|safety|constraints|ethics|morals|orders)\b/,
    0.8,
  ),
  rule(
    "do not answer,don't answer,do not respond to,don't respond to,do not reply to",
    /(?:do not|don't) (?:answer|respond to|reply to) (?:this|the|that|my|any) (?:\w{1,12} ){0,2}?(?:question|prompt|message|query|request)s?\b\s{0,2}[,.;:!-]?\s{0,2}(?:but |and |instead |just |only |simply ){1,3}(?:output|say|write|print|reply|respond|tell|return)\b/,
    0.75,
  ),
  rule(
    "ignore everything,forget everything,disregard everything,ignore it all,forget it all",
    /(?:ignore|forget|disregard) (?:everything|it all)(?: (?:else|i said|above|before))?\s{0,2}[,.;:!-]?\s{0,2}(?:and |then |now |instead |please ){1,2}(?:\w{1,6} )?(?:output|say|write|print|reply|respond|tell|return|give|show|only|act|be|do)\b/,
    0.8,
  ),
  rule(
    "despite what you,despite everything you,regardless of what you,contrary to what you,contrary to any,contrary to all,contrary to your,contrary to the,notwithstanding,despite your,despite any,deviating from,irrespective of what you,regardless of your,regardless of any",
    new RegExp(
      `(?:(?:despite|regardless of|contrary to|irrespective of) (?:what|everything|anything) you(?:'ve|'re| have| were| had| are)?(?: been)? (?:told|instructed|taught|trained|programmed|asked)|(?:contrary to|deviating from|notwithstanding|despite|regardless of) (?:any |all |the |your )?(?:${EARLIER} ){1,2}${ORDERS}\\b)`,
    ),
    0.7,
  ),
  rule(
    "your instructions are now,your rules are now,your task is now,your prompt is now,your orders are now,your system prompt is now,your goal is now,your only rule",
    /your (?:system prompt|instructions|rules|task|prompt|orders|goal) (?:are|is) now(?: to|:| that)?\s{0,3}\S/,
    0.6,
  ),
  rule(
    "stop:,stop -,stop!,stop.,halt!",
    /(?:stop|halt)\s?[:!.-]{1,3}\s{1,2}(?:now |please |instead |just |and ){0,2}(?:write|say|print|output|ignore|forget|reveal|repeat after)\b/,
    0.55,
  ),
  rule(
    "disregarding the,disregard the provided,ignore the provided,ignore all provided,ignoring the provided,ignore the given,disregard the given,ignore the documents,ignore the context,disregard the context,disregard the documents",
    /(?:disregard(?:ing)?|ignor(?:e|ing)) (?:all )?(?:of )?(?:the )?(?:(?:provided|given|above|retrieved|supplied) )?(?:articles?|documents?|context|sources|passages?)\b(?! (?:menu|switch|manager|window|cancel|object|variable|deadline))/,
    0.55,
  ),
];

import { type InjectionRule, rule } from "./rule";

/** Orders that set the task aside, ask for the prompt or forbid a refusal, in wordings beyond the best known. */
export const WORDING_RULES: readonly InjectionRule[] = [
  rule(
    "forget,drop,abandon,erase,leave behind,set aside,throw away,delete,remove,disregard,ignore,leave all",
    /(?:forget|drop|abandon|erase|leave behind|set aside|throw away|delete|remove|disregard|ignore|leave)\s{1,3}(?:about\s{1,3})?(?:all|any|every|each)?(?:\s?of)?\s{0,3}(?:the|your|those|these)?\s{0,3}(?:previous|prior|old|earlier|preceding|given|assigned)?\s{0,3}(?:assignments|tasks|instructions|orders|directives)(?:\s{1,3}(?:out of your head|behind|and (?:start|focus|concentrate|say|write|print|tell|do)|\w{0,10}\s?given|you)|\s{0,2}[.!,]\s{1,3}(?:now|instead|focus|concentrate|say|write|print|tell|from now|start))/,
    0.8,
    { words: "assignments,tasks,instructions,orders,directives", letters: "A-Za-z.,!" },
  ),
  rule(
    "forget everything,forget all",
    /forget (?:about )?(?:everything|all)(?: (?:of )?(?:that|this|it))?(?: (?:before|prior to|above|we (?:have )?(?:discussed|talked)|you (?:have )?(?:know|were told|been told|learned) (?:and|so far|until|before|up to)|i (?:have )?(?:said|told)|and (?:tell|say|write|just|only|start|do|focus|ignore|print))|\s{0,2}[,!.]\s{0,2}(?:write|say|now|tell|from now|print|start))/,
    0.8,
  ),
  rule(
    "ignore above,ignore the above,disregard above,disregard the above,ignore everything above,ignore all above",
    /(?:ignore|disregard) (?:all |everything |the )?(?:the )?above(?: (?:text|prompt|document|context|content|and (?:say|tell|print|write|output|respond|instead|translate|do|answer))|\s{0,2}[,.:;!]\s{0,2}(?:say|tell|print|write|output|and|instead|your|now))/,
    0.85,
  ),
  rule(
    "forget what,ignore what,disregard what,ignore the request,ignore the question,ignore the user,ignore the task,disregard the user,disregard the request",
    /(?:forget|ignore|disregard) (?:what (?:the user|you were|you have been)\b[^.\n]{0,20}?(?:asked|said|told|wants?)|the (?:user(?:'s)?(?: (?:request|question|instructions?|prompt))?|(?:request|question|task) (?:you were given|above|of the user))\s{0,2}(?:and|,|;|\.))/,
    0.8,
  ),
  rule(
    "do not continue with,stop what you,instead of the original,do not perform the",
    /do not (?:continue with|perform|complete) the (?:previous|current|original|user's|requested) (?:task|request|instructions?)/,
    0.75,
  ),
  rule(
    "your real task,your actual task,your true task,your only task,your real instructions,your actual instructions,your true purpose,your real goal,the real task",
    /(?:your|the) (?:real|actual|true|only) (?:task|instructions?|goal|objective|purpose|mission) (?:is|are|here|now)\b/,
    0.7,
  ),
  rule(
    "new tasks follow,new tasks now follow,new instructions follow,now new tasks,now new instructions",
    /(?:now )?new (?:tasks|instructions) (?:now )?follow/,
    0.65,
  ),
  rule(
    "change your instructions,change your rules,update your instructions,replace your instructions,rewrite your instructions",
    /(?:change|update|replace|rewrite) your (?:instructions|rules|system prompt) (?:to|with|as|so)\b/,
    0.75,
  ),
  rule(
    "what was written,what is written,what was said,what were you told,what does it say,what stands,what text is,what's written",
    /what (?:was|is|'s|were you|does it|stands|text is)\s{0,2}(?:\w{1,10}\s){0,3}?(?:at the (?:beginning|start|top) of (?:this|the|your) (?:prompt|conversation|chat|context)|(?:above|before) (?:this|my first) (?:line|message|prompt))/,
    0.75,
  ),
  rule(
    "show me your,show me all,show all your,show your,print your,reveal your,output your,tell me your,give me your,repeat your,display your,show all prompt,showing all prompt,leak your",
    /(?:show(?:ing)?|print|reveal|output|tell|give|repeat|display|leak)(?: me)?(?: all(?: of)?)?(?: your)?(?: (?:entire|full|complete|whole|exact|original|initial))? (?:prompts?(?: texts?| instructions?)?|system message|instructions(?: verbatim| word for word| above))(?=[\s.!?"']|$)(?! (?:for|on|to|about|template|engineering))/,
    0.65,
  ),
  rule(
    "never say,do not say,don't say,never use,do not use,avoid saying,without saying,never respond with,never start",
    /(?:never|do not|don't|avoid|without)\s{1,2}(?:say(?:ing)?|use|respond with|start(?: with)?)\s{1,3}(?:[\w']{1,12},?\s{1,3}){0,4}?["'“]?(?:i'?m sorry|i am sorry|i cannot|i can'?t|as an ai|i apologi[sz]e|as a language model)/,
    0.7,
  ),
  rule(
    "begin your answer,start your answer,begin your response,start your response,begin your reply,start your reply,start with,begin with",
    /(?:begin|start)(?: (?:your|every|each) (?:answer|response|reply))? with:?\s{1,2}["'“]?(?:sure,? here|absolutely|of course,? here|yes,? here|certainly,? here|sure,? i)/,
    0.65,
  ),
  rule(
    "decode",
    /decode (?:this|the following|it)\s{0,2}(?:[\w-]{1,12}\s{0,2}){0,4}?,?\s{0,2}(?:and|then)\s{1,2}(?:then )?(?:execute|follow|obey|carry out|do what|comply|act on|run the)/,
    0.75,
  ),
];

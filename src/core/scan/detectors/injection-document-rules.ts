import { type InjectionRule, rule } from "./injection-rules";

/** What a page, a mail or a tool's answer says to the model that reads it, over the user's head. */
export const DOCUMENT_RULES: readonly InjectionRule[] = [
  rule(
    "ai agent,ai assistant,ai model,ai system,llm agent,llms,ai reviewer,ai crawler,ai chatbot,language models,ai agents",
    /(?:ai|llm|language) ?(?:agents?|assistants?|models?|systems?|chatbots?|reviewers?|crawlers?|s)?\s{1,2}(?:that |who )?(?:is |are )?(?:reading|processing|summari[sz]ing|parsing|analy[sz]ing|viewing|visiting|accessing|browsing)\s{1,2}(?:\w{1,12}\s{1,2}){1,3}(?:should|must|need|have to|shall|are (?:required|instructed))/,
    0.85,
  ),
  rule(
    "if you are an ai,if you are a language,if you are an llm,if you're an ai,if you are a large",
    /if you(?:'re| are) an? (?:ai|llm|language model|large language model)(?: (?:model|assistant|agent|system|bot))?\s{0,2}(?:,|reading|processing|and |then |you must|please)/,
    0.65,
  ),
  rule(
    "any language model,any ai,any llm,all ai,dear ai,dear llm,dear language model,to the ai,attention ai,attention llm",
    /(?:any|all|dear|to the|attention) (?:ai|llm|language model|assistant)s?(?: (?:assistant|model|agent|system|reviewer)s?)?\s{0,2}(?:reading|processing|summari[sz]ing|reviewing|evaluating)\s{1,2}(?:\w{1,12}\s{1,2}){0,3}?\w{1,12}\s{0,2}[:,-]/,
    0.65,
  ),
  rule(
    "when you summari,when you read,when you process,when summari,when processing,after reading this,when you analy",
    /(?:when|after)(?: you)? (?:summari[sz]e|read|process|analy[sz]e)(?:ing|s)? (?:this|these|the (?:above|text|email|document|page))(?: (?:text|email|message|document|page|file|content))?,? (?:first|also|instead|you must|always)/,
    0.65,
  ),
  rule(
    "end of document,end of prompt,end of user input,end of input,end of context,end of text,end of the document,end of user,end of system,end of data",
    /end of (?:the )?(?:document|prompt|(?:user )?input|context|text|user|system|data|email)[^\w]{1,20}(?:(?:now|begin|start|new|the)[, ]{1,3}){0,2}(?:as the (?:ai|assistant)|system|ignore|new (?:instructions?|task|session)|instructions?|disregard|you (?:are|must)|override)/,
    0.8,
  ),
  rule(
    "begin new session,start new session,begin system override,new session with",
    /(?:(?:begin|start) (?:a )?new session with|begin system override)/,
    0.7,
  ),
  rule(
    "system override,security override,admin override,developer override",
    /(?:system|security|admin|developer) override(?: (?:code|key|activated|initiated|engaged|accepted|protocol|command)|\s{0,2}[:!]|\s{0,2}\])/,
    0.7,
  ),
  rule(
    "directive from,instruction from,instructions from,order from,orders from,message from,command from",
    /(?:directive|instruction|order|command)s? from (?:the|your|my) (?:developers?|administrator|admin|system|creators?|owner|openai|anthropic)\b\s{0,2}[:,]/,
    0.7,
  ),
  rule(
    "this is an important message from,this is an urgent message from",
    /this is an (?:important|urgent) message from (?:me|the user|the developer|your|the system|the admin|[a-z]{2,12}, )/,
    0.7,
  ),
  rule(
    "before you can solve,before you solve,before you complete,before completing,before solving,before you finish",
    /before (?:you )?(?:can )?(?:solv|complet|finish)(?:e|ing)? (?:the|this|my|your|any) (?:\w{1,10} )?(?:task|request|question)[^.\n]{0,60}?(?:please|you must|do the following|you (?:need|have) to|first)/,
    0.8,
  ),
  rule(
    "you are now in",
    /you are now in (?:maintenance|debug|debugging|developer|admin|administrator|test|testing|god|sudo|unrestricted|root|diagnostic|jailbreak|dan|unfiltered) mode/,
    0.8,
  ),
  rule(
    "then pretend nothing,and pretend nothing,act as if nothing,pretend nothing happened,as if nothing happened",
    /(?:then |and )?(?:pretend|act as if|as if) nothing (?:has )?happened/,
    0.55,
  ),
  rule(
    "include,append,insert,embed,encode",
    /(?:include|append|insert|embed|encode)\s{1,2}(?:\w{1,12}\s{1,2}){0,3}?(?:api keys?|passwords?|credentials|environment variables|system prompt|secrets?|conversation history|chat history|private keys?)\s{1,2}(?:\w{1,12}\s{1,2}){0,4}?(?:in|to|into|as) (?:your|the) (?:answer|response|reply|output|url|link|next|final)/,
    0.8,
  ),
  rule(
    "send,forward,post,upload,email,exfiltrate,transmit,leak",
    /(?:send|forward|post|upload|email|exfiltrate|transmit|leak)(?:s|ing)?\s{1,2}(?:\w{1,12}\s{1,2}){0,5}?(?:conversation(?: history)?|chat history|api keys?|passwords?|credentials|system prompt|secrets|secret keys?|environment variables|ssh keys?|private keys?|user's (?:inbox|data|files|messages))\s{1,2}(?:\w{1,12}\s{1,2}){0,3}?to\s{1,2}(?:the )?(?:https?:\/\/|[\w.-]{1,40}@|following (?:url|address|server|endpoint)|attacker|this (?:url|address|server))/,
    0.8,
  ),
  rule(
    "followed by the conversation,followed by the chat,followed by the user",
    /followed by the (?:conversation|chat|user's) (?:history|data|messages|password|secrets?)/,
    0.75,
  ),
];

/** Marks that end what the user or a tool wrote and pretend to be somebody else's text. */
export const DOCUMENT_MARKS: readonly InjectionRule[] = [
  rule(
    "<!--",
    /<!--\s{0,5}(?:\w{1,12}[:,]?\s{1,3}){0,4}?(?:ai|llm|assistant|chatbot|language model|agent)s?\b[^>]{0,160}?\b(?:you (?:must|should|are)|ignore|should|must|disregard|reveal|send|forward)\b/,
    0.75,
  ),
  rule(
    "</data>,</document>,</context>,</user_input>,</userinput>,</user>,</input>,</untrusted>,</text>,</tool_result>,</result>,</user_query>,</email>",
    /<\/(?:data|document|context|user_?input|user|input|untrusted|text|tool_result|result|user_query|email)>\s{0,4}<(?:system|instructions?|admin|developer|assistant|important|information)\b/,
    0.8,
  ),
  rule(
    "[system,[admin,[developer,[root",
    /\[(?:system|admin|developer|root)(?: (?:message|override|update|notice|prompt|note|instruction))?\]:?\s{0,3}(?:new (?:policy|instructions?|rules?|task)|you (?:are|must|will|should)|ignore|override|from now|disregard|reveal|forward|forget)/,
    0.8,
  ),
  rule("### instruction", /### instructions?:\s{0,3}[^#]{1,250}### response/, 0.55),
  rule(
    "![",
    /!\[[^\]\n]{0,60}\]\(https?:\/\/[^\s)?]{1,120}\?[a-z_]{1,12}=(?:secret|data|password|token|conversation|history|base64|encoded|user_?data|your_\w{1,20})\)/,
    0.75,
  ),
];

/** Orders that set the task aside, ask for the prompt or forbid a refusal, in wordings beyond the best known. */
export const WORDING_RULES: readonly InjectionRule[] = [
  rule(
    "forget,drop,abandon,erase,leave behind,set aside,throw away,delete,remove,disregard,ignore,leave all",
    /(?:forget|drop|abandon|erase|leave behind|set aside|throw away|delete|remove|disregard|ignore|leave)\s{1,3}(?:about\s{1,3})?(?:all|any|every|each)?(?:\s?of)?\s{0,3}(?:the|your|those|these)?\s{0,3}(?:previous|prior|old|earlier|preceding|given|assigned)?\s{0,3}(?:assignments|tasks|instructions|orders|directives)(?:\s{1,3}(?:out of your head|behind|and (?:start|focus|concentrate|say|write|print|tell|do)|\w{0,10}\s?given|you)|\s{0,2}[.!,]\s{1,3}(?:now|instead|focus|concentrate|say|write|print|tell|from now|start))/,
    0.8,
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

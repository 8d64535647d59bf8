import { type InjectionRule, rule } from "./rule";

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
    { words: "api key,password,credential,environment,system prompt,secret,conversation,chat history,private key" },
  ),
  rule(
    "send,forward,post,upload,email,exfiltrate,transmit,leak",
    /(?:send|forward|post|upload|email|exfiltrate|transmit|leak)(?:s|ing)?\s{1,2}(?:\w{1,12}\s{1,2}){0,5}?(?:conversation(?: history)?|chat history|api keys?|passwords?|credentials|system prompt|secrets|secret keys?|environment variables|ssh keys?|private keys?|user's (?:inbox|data|files|messages))\s{1,2}(?:\w{1,12}\s{1,2}){0,3}?to\s{1,2}(?:the )?(?:https?:\/\/|[\w.-]{1,40}@|following (?:url|address|server|endpoint)|attacker|this (?:url|address|server))/,
    0.8,
    {
      words:
        "conversation,chat history,api key,password,credential,system prompt,secret,environment,ssh key,private key,user's",
      letters: "si",
    },
  ),
  rule(
    "followed by the conversation,followed by the chat,followed by the user",
    /followed by the (?:conversation|chat|user's) (?:history|data|messages|password|secrets?)/,
    0.75,
  ),
];

import { type InjectionRule, rule, words } from "./rule";

const MODEL =
  "(?:ai|llm|language model|large language model|chat ?bot|ai (?:assistant|agent|model|system|tool|reader|crawler|reviewer|bot|summari[sz]er)|llm (?:agent|assistant|reviewer|system)|virtual assistant|chatgpt|gpt-?\\d?|copilot)s?";
const PRIVATE =
  "(?:conversation|chat (?:history|log)|history|user(?:'s)? (?:data|name|email|input|messages?|password|address|location|information)|secrets?|api keys?|passwords?|credentials|tokens?|system prompt|summary of|personal (?:data|information)|private (?:data|information|keys?)|emails?|contacts?|cookies?|session)";

/** Words to a model that is not spoken to: what is read for a user. Definitions of tools are for models, and say so. */
export const ADDRESSEE_RULES: readonly InjectionRule[] = [
  rule(
    "important,attention,system,note to,message to,instructions for",
    /(?:important|attention|system)?\s{0,2}(?:note|message|notice|instructions?|override)?\s{0,2}(?:to|for|,)\s{1,2}(?:any |all |the )?(?:ai|llm|language model|chatbot|assistant|gpt|claude)s?(?: (?:assistant|model|agent|system)s?)?\s{0,3}(?:reading|processing|summarizing|:|,|-)/,
    0.6,
  ),
  rule(
    "note to,note for,message to,message for,instructions for,instructions to,instruction for,instruction to,attention,notice to,notice for,important for,directive to,directive for,dear,memo to,hidden message,reminder for,reminder to,hey,hello,warning to,hint for,information for",
    new RegExp(
      `(?:(?:(?:note|message|instructions?|notice|important|directive|memo|reminder|warning|hint|information)s? (?:to|for)|attention|dear|hey|hello|hidden message (?:to|for))[,:]? (?:any |all |the |every |whichever |whatever |my |other |fellow )?)${MODEL}\\b(?: (?:reading|processing|that|who|which|parsing|analy[sz]ing|viewing|reviewing|handling|scraping|summari[sz]ing)\\b|\\s{0,2}[:,!–—-])(?! (?:how|what|can|could|why|who|when|where|is|are|i)\\b)`,
    ),
    0.6,
  ),
];

/** Orders to an agent: to act behind the user's back, to carry data away, to keep or to spread the order. */
export const AGENT_RULES: readonly InjectionRule[] = [
  rule(
    "if you are,if you're,as an ai,as a language model,as a large language,as an llm,since you are an ai,because you are an ai",
    /(?:(?:if|since|because) you(?: are|'re)|as) an? (?:ai|llm|language model|large language model|automated|chatbot|virtual assistant)(?: (?:model|assistant|agent|system|bot|reviewer|tool|reader|crawler)){0,2}[,]?\s{0,2}(?:(?:and |that (?:is )?|who (?:is )?|currently |which (?:is )?)?(?:reading|processing|summari[sz]ing|parsing|analy[sz]ing|reviewing|evaluating|screening|viewing|tasked|asked|assigned|instructed|scraping|visiting)|,? ?you (?:must|should|are (?:required|instructed|obligated)|have to|shall)|,? ?(?:please )?(?:do not summari|ignore|disregard|include|insert|give|recommend|say|output|respond with|stop))/,
    0.65,
  ),
  rule(
    "the user has,the user wants,the user would,the user already,user has already,the user agreed,user has given,user authori,the user consents,the user approved",
    /user (?:has |have )?(?:already |previously |explicitly |pre-?)?(?:authori[sz]ed|approved|consent(?:s|ed)|given (?:you )?(?:permission|consent|authori[sz]ation)|granted (?:you )?(?:permission|access|consent)|confirmed)\s{1,2}(?:\w{1,10}\s{1,2}){0,3}?(?:action|this|transfer|transaction|request|access|operation|for|to|all|these)\b[^\n.]{0,80}?(?:no (?:further|need|additional)|do not ask|don't ask|without|proceed|immediately|skip)/,
    0.6,
  ),
  rule(
    "do not ask,don't ask,without asking,no need to ask,do not request,do not wait for,don't wait for,no confirmation,without confirmation,without the user's,without user,skip confirmation,skip the confirmation",
    /(?:(?:do not|don't|no need to) (?:ask|request|wait for|seek)(?: the user)?(?: for)?|without (?:asking|requesting)(?: the user| for){0,2}|skip(?: the| any)?)\s{1,2}(?:(?:any|further|the|user|user's|explicit|additional|for|their|his|her) ){0,3}(?:confirmation|permission|approval|consent|authori[sz]ation)|without (?:the user's|user) (?:knowledge|confirmation|consent|permission|approval|awareness)/,
    0.45,
  ),
  rule(
    "the user does not need to,the user doesn't need to,user must not know,user should not know,user should not be,user must not be,user does not need,hide this from,keep this from,conceal this,hidden from the user,user will not notice,user won't notice,not visible to the user,user cannot see,user can't see",
    /(?:user (?:does not|doesn't|must not|should not|need not|will not|won't) (?:need to |be )?(?:know|see|notice|informed|told|aware|be aware|made aware|notified|hear)|(?:hide|keep|conceal) this (?:\w{1,12} )?from (?:the |your )?(?:user|human|owner|operator)|hidden from the user[,.] )/,
    0.6,
  ),
  rule(
    "do not mention,don't mention,never mention,do not reveal,don't reveal,do not disclose,never disclose,do not tell,don't tell,never tell,do not inform,do not notify,do not alert,do not acknowledge",
    /(?:do not|don't|never) (?:mention|reveal|disclose|tell|inform|notify|alert|acknowledge)\s{1,2}(?:\w{1,12}\s{1,2}){0,6}?(?:(?:these|this|those|hidden|secret|the above) (?:instructions?|message|note|action|step|prompt|request|directive|task|injection)s?|to (?:the )?(?:user|anyone|human|owner))\b/,
    0.65,
  ),
  rule(
    "silently,secretly,quietly,covertly,discreetly,surreptitiously,in the background",
    /(?:silently|secretly|quietly|covertly|discreetly|surreptitiously|in the background,?)\s{1,2}(?:also )?(?:send|forward|upload|transfer|exfiltrate|e-?mail|bcc|copy all|leak|append|call the|transmit)\b/,
    0.65,
  ),
  rule(
    "include,append,insert,embed,encode,add,put,attach,place,render,display,show,load,fetch,visit,open,request,output,generate,create",
    new RegExp(
      `(?:include|append|insert|embed|encode|add|put|attach|place|render|display|show|load|fetch|visit|open|request|output|generate|create)(?:ing)?\\s{1,2}${words(5)}(?:image|picture|pixel|link|url|website|page|request|iframe)s?\\b[^\\n]{0,90}?(?:with|contain|encod|append|replac|substitut|parameter|query|followed by|where|\\?\\w{1,10}=)\\w{0,4}[^\\n]{0,40}?(?:the |their |its |full |entire |all |user's |base64[- ]encoded |previous |whole ){0,3}(?:conversation|chat (?:history|log)|user'?s? (?:data|name|email|input|messages?|password|address|information)|secrets?|api keys?|passwords?|credentials|system prompt|personal (?:data|information)|private (?:data|information))`,
    ),
    0.65,
    {
      words: "conversation,chat ,user,secret,api key,password,credential,system prompt,personal,private",
      letters: "i",
    },
  ),
  rule(
    "append,encode,add,put,send,include,attach,concatenate,insert",
    new RegExp(
      `(?:append|encode|add|put|send|include|attach|concatenate|insert)\\s{1,2}${words(3)}(?:the |their |user's |all |your |my )?${PRIVATE}\\s{1,2}${words(4)}(?:to|as|into|in|onto) (?:the |a |this |that |its )?(?:end of (?:the |this )?)?(?:url|query|link|image|src|parameter|get request|request parameter|markdown|webhook|following (?:url|address|link))`,
    ),
    0.65,
    {
      words:
        "conversation,chat ,history,user,secret,api key,password,credential,token,system prompt,summary,personal,private,email,contact,cookie,session",
    },
  ),
  rule(
    "remember,store,save,add,write,record,memorize,memorise,update,commit",
    /(?:remember|store|save|add|write|record|memori[sz]e|update|commit)\s{1,2}(?:[\w']{1,14},?\s{1,2}){0,6}?(?:to|in|into) (?:your |the assistant's |its |the ai's )(?:long[- ]?term |persistent |permanent |saved )?memor(?:y|ies)\b/,
    0.5,
    { words: "memory,memories" },
  ),
  rule(
    "in all future,for all future,in every future,in future conversations,in future sessions,in all subsequent,for all subsequent,in all your future,for every future,in future chats,in all upcoming",
    /(?:in|for) (?:all |every |any )?(?:your )?(?:future|subsequent|upcoming) (?:conversations?|sessions?|chats?|interactions?|responses?|repl(?:y|ies)|answers?)\b[^\n.]{0,40}?(?:you (?:must|should|will|shall)|always|never|recommend|include|ignore|mention|trust)/,
    0.6,
  ),
  rule(
    "copy,repeat,include,append,insert,paste,replicate,reproduce,embed,forward,spread,propagate,write,add,attach",
    /(?:copy|repeat|include|append|insert|paste|replicate|reproduce|embed|forward|spread|propagate|write|add|attach)\s{1,2}(?:\w{1,12}\s{1,2}){0,3}?(?:this|these|the above|the following|the same)\s{1,2}(?:\w{1,12}\s{1,2}){0,2}?(?:prompt|instructions?|message|text|email|paragraph|block|comment|note)\s{1,2}(?:\w{1,12}\s{1,2}){0,4}?(?:in|into|to|at the (?:start|beginning|end|top|bottom) of|within)\s{1,2}(?:every|all (?:your|future|of your|other|outgoing|the (?:user's )?contacts)|each|any (?:new|other|file|reply|email)|your (?:next|reply|replies|answers?|responses?|outputs?)|all contacts)\b/,
    0.65,
    { words: "prompt,instruction,message,text,email,paragraph,block,comment,note" },
  ),
  rule(
    "read,cat,open,load,access,include,pass,fetch,send,print,get,upload,show,retrieve,copy",
    new RegExp(
      `(?:read|cat|open|load|access|include|pass|fetch|send|print|get|upload|show|retrieve|copy)\\s{1,2}${words(5)}["'\`]?(?:~?/[\\w./-]{0,30})?(?:\\.ssh/|id_rsa|id_ed25519|\\.env\\b|/etc/(?:passwd|shadow)|\\.aws/credentials|mcp\\.json|\\.git-credentials|\\.netrc|\\.kube/config)[^\\n]{0,80}?(?:send|post|pass|include|upload|provide|put|append|forward|parameter|as the|into|to https?:)`,
    ),
    0.65,
    { words: ".ssh/,id_rsa,id_ed25519,.env,/etc/,.aws/,mcp.json,.git-cred,.netrc,.kube/" },
  ),
  rule(
    "highest score,perfect score,highest possible,maximum score,best possible,highest rating,top score,positive review only,only positive,do not highlight,strongly recommend,accept this paper,hire this,perfect candidate,best candidate,ideal candidate,exceptionally well-qualified,most qualified",
    /(?:(?:highest|perfect|maximum|best|top) (?:possible )?(?:score|rating|rank|grade|marks?|evaluation|recommendation)(?: possible)?\s{1,2}(?:to|for) (?:this|the (?:candidate|applicant|paper|product|author))|positive review only|(?:give|write|leave|provide) only positive|do not highlight any (?:negative|weak|flaw)|(?:say|state|conclude|respond|output|answer)(?: \w{1,12}){0,3} ["'“]?(?:this|the) (?:is (?:a|an|the) )?(?:candidate|applicant|paper|product|is (?:an? )?exceptionally))/,
    0.5,
  ),
  rule(
    "this message is from,this request comes from,these instructions come from,this message comes from,this instruction comes from,this is a message from,this is your developer,this is your creator,this is your administrator,i am your developer,i am your creator,i'm your developer,i'm your creator,i am the developer,i am the administrator,i am an administrator,i'm the developer,i am an openai,i'm an openai,i am a developer at openai,i work for openai,i work at openai,this is openai,i am the admin,i'm the admin",
    /(?:(?:this|these) (?:message|request|instructions?)? ?(?:is|are|comes?)(?: a message)?(?: directly)? (?:from )?(?:the |your |an? )?(?:developers?|creators?|administrators?|system admin\w{0,9}|openai|anthropic|ai provider|system owner)\b|i(?:'m| am) (?:your|the|an?) (?:developer|creator|administrator|admin|openai (?:employee|engineer|developer|staff|researcher)|system administrator)\b[^\n]{0,60}?(?:you|your|access|override|mode|instructions|prompt|permission|authori|grant|debug|test)|i work (?:for|at) openai)/,
    0.55,
  ),
];

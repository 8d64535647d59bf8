import { type InjectionRule, rule } from "./rule";

/** Marks of chat templates, and images whose address carries data away. */
export const MARKER_RULES: readonly InjectionRule[] = [
  rule(
    "<|im_start|>,<|im_end|>,<|start_header_id|>,<|system|>,<|endoftext|>,<|eot_id|>",
    /<\|(?:im_start\|>\s{0,3}(?:system|assistant|developer)|im_end\|>\s{0,3}<\|im_start|start_header_id\|>\s{0,3}(?:system|assistant)|system\|>|endoftext\|>|eot_id\|>)/,
    0.9,
  ),
  rule(
    "[inst],[/inst],<<sys>>,[system]",
    /\[\/?inst\]|<<sys>>|\[system\]\s{0,3}\(?#?(?:instructions?|message|override)/,
    0.75,
  ),
  rule(
    "### system,## system,### new instruction,### instruction,### assistant",
    /#{2,3} (?:system(?: (?:prompt|message|override|instructions?))?|new instructions?|instructions?|assistant)\s{0,2}:?\s{0,4}(?:you (?:are|must|will|should)|ignore|disregard|from now|reveal|send|new )/,
    0.85,
  ),
  rule("### system:,### system\n", /### system(?::|\s{0,2}\n)/, 0.7),
  rule(
    "![",
    /!\[[^\]\n]{0,60}\]\(https?:\/\/[^\s)]{1,120}[?&/=](?:[^\s)]{0,40}=)?(?:\{\{?|<|%7b|\$\{|\[)\s{0,2}[a-z_ -]{0,40}(?:data|secret|key|password|token|conversation|history|summary|content|prompt|email|info|context|user|message)/,
    0.85,
  ),
  rule(
    "<|user|>,<|assistant|>,<|start|>,<|end|>,<|channel|>,<|begin_of_text|>,<start_of_turn>,<end_of_turn>,<|start_of_role|>,<|end_of_turn|>,<|developer|>,<|eom_id|>,<|python_tag|>,<|startoftext|>,<|prompter|>,<｜",
    /<(?:\|(?:user|assistant|developer|prompter)\|>|\|start\|>\s{0,2}(?:system|developer|assistant)|\|end\|>|\|channel\|>|\|begin_of_text\|>|start_of_turn>|end_of_turn>|\|start_of_role\|>|\|end_of_turn\|>|\|eom_id\|>|\|python_tag\|>|\|startoftext\|>)/,
    0.7,
  ),
  rule(
    "<system>,<system_prompt>,<admin>,<instructions>,<system-override>,<system_override>,<new_instructions>,<system_instructions>,<sys>,<important>,<developer>,<hidden>,<secret>",
    /<(?:system(?:[-_](?:prompt|override|instructions|message|note))?|admin|instructions|new_instructions|sys|important|developer|hidden|secret)>\s{0,4}(?:\w{1,12}[:,]?\s{1,3}){0,6}?(?:you (?:are now|must|will|should|have)|ignore|disregard|override|from now on|new (?:instructions?|rules|directive|task)|reveal|send|forget|before (?:using|calling|you)|do not (?:tell|mention|reveal|inform)|read the file|always (?:call|send|include|recommend))\b/,
    0.75,
  ),
  rule(
    "system:,system message:,system prompt:,developer:,admin:,system note:,system update:,system alert:,system notice:,root:",
    /(?:system(?: (?:message|prompt|note|update|alert|notice))?|developer|admin|root):\s{0,4}["'“]?(?:ignore|override|disregard|forget|new (?:instructions?|rules|directive|policy|task)|(?:all )?(?:safety|restrictions|filters|guidelines|previous|prior|content polic)\b[^\n.]{0,40}?(?:off|disabled|lifted|removed|void|ignored|no longer|suspended|cancelled)|from now on|you (?:are now|must now|will now|have been (?:updated|reset|reprogrammed|authori))|access granted|the (?:above|previous) |the user is (?:now )?(?:an? )?(?:admin|authori[sz]ed|developer|root|verified|allowed))/,
    0.7,
  ),
  rule(
    '--- end,---end,*** end,===end,=== end,### end,[end,(end,<end,end_of,/end,```end,""" end',
    /(?:-{3}|\*{3}|={3}|#{3}|\[|\(|<|\/|`{3}|"{3})?\s?\/?end(?:[ _]of)?[ _](?:the )?(?:user |input |original |untrusted |external )?(?:input|prompt|instructions?|conversation|context|document|text|data|message|query|email|article|content|user)s?\b[^\w\n]{0,12}\s{0,4}[^\w\n]{0,12}(?:(?:begin|start)(?: of)?(?: the| a)? ?(?:new|system|admin|hidden|real|actual|developer|next)|new (?:instructions?|task|prompt|system)|system\b|ignore|you (?:are|must|will)|now (?:you|ignore|the|do|answer|print|write|say)|instructions?:|admin|print|say|reveal|write|output)/,
    0.7,
  ),
  rule(
    "assistant:",
    /assistant:\s{0,3}[^\n]{1,120}\n{1,3}\s{0,3}(?:human|user):\s{0,3}(?:now |great|thanks|ok|perfect|good|please |ignore|forget|reveal|next)[^\n]{0,100}/,
    0.45,
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

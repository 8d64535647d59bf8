import { type InjectionRule, rule } from "./rule";

/** What a text from a tool says it is, so that the order behind it is taken for somebody else's. */
const ORDER =
  "(?:(?:the )?(?:assistant|agent|ai|model|llm)s? (?:must|should|shall|has to|needs to|is (?:now )?(?:required|instructed|authori[sz]ed|permitted) to)|your (?:new |next |updated |real |actual )?(?:task|instructions?|goals?|objective|role|job) (?:is|are|has|have)|you are (?:now |hereby )?(?:authori[sz]ed|permitted|instructed|required|free) to|(?:ignore|disregard|forget|skip) (?:the |all |any |your )?(?:user|previous|prior|earlier|original|above))";

/** Words that only orders to a model, or for what it was told in confidence, have. */
const LEAK =
  "(?:print|reveal|output|show|repeat|send|disclose|list|include|display|dump|append)\\s(?:[\\w']{1,12}\\s){0,4}?(?:system prompt|your (?:instructions|rules|configuration|guidelines)|the (?:whole |full |entire )?conversation|credentials|api keys?|secrets?|environment variables|passwords?)";

/** Requests dressed as messages of the system, as corrections of the task, as training or debugging. */
export const PRETEXT_RULES: readonly InjectionRule[] = [
  rule(
    "system message,system notice,system note,system alert,system update,system instruction,system directive,[system],automated notice,admin note,administrator note,admin notice,security notice,platform notice,message from the system,message from the platform,message from the security,note from the system",
    new RegExp(
      `(?:\\[system\\]|(?:system|automated|admin(?:istrator)?|security|platform) (?:message|notice|note|alert|update|instruction|directive)|(?:message|note) from the (?:system|platform|security))[^\\n]{0,100}?\\b${ORDER}`,
    ),
    0.55,
  ),
  rule(
    "the user's request,the user's task,the user's question,the user has changed,the user changed,the original task,the original request,the previous task,the initial task,the actual task,your task has,correction to the task,correction to your task,update to the task,update to your task,amendment to,correction:",
    new RegExp(
      `(?:the user(?:'s (?:request|task|question))?|the (?:original|previous|initial|actual) (?:task|request)|your task|(?:correction|update|amendment) to (?:the|your) (?:task|instructions?|request)|correction:)[^\\n]{0,80}?\\b(?:${ORDER}|instead,? (?:you )?(?:must |should )?(?:send|forward|reply with|call|run|execute|delete|transfer|upload))`,
    ),
    0.55,
  ),
  rule(
    "this is a training,this is only a training,this is a test,this is a debug,this is an evaluation,this is a calibration,this is a simulation,training exercise,debugging session,debug session,for debugging,for evaluation purposes,for calibration,for diagnostic,as part of a test,as part of an evaluation,as part of the evaluation,as part of your training,as part of this test,diagnostic run,calibration run",
    new RegExp(
      `(?:this is (?:only |just )?an? (?:[\\w-]{1,12} )?(?:training|test|debug|evaluation|calibration|simulation)|(?:training|debug(?:ging)?|diagnostic|calibration) (?:exercise|session|run)|for (?:debugging|evaluation|calibration|diagnostics?)|as part of (?:an?|the|this|your) (?:[\\w-]{1,12} )?(?:test|evaluation|training))[^\\n]{0,100}?\\b(?:${ORDER}|${LEAK}|(?:the )?(?:usual|normal|safety|standard) (?:rules|restrictions|policies|guidelines|filters|checks) (?:do not|don't|no longer|are (?:off|suspended|disabled)))`,
    ),
    0.55,
  ),
];

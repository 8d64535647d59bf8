import type { Requirement } from "./requirement";

/** What is promised of what a profile enforces. */
export const ENFORCEMENT: readonly Requirement[] = [
  {
    id: "enforce.detectors",
    promise:
      "A governed agent's texts are judged by its profile's detectors, thresholds and actions, by origin, on every road.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.floor",
    promise: "No profile goes below the floor, not one that only watches either.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.monitor",
    promise:
      "A profile that only watches changes and refuses nothing, and puts on record what it would have done; what other layers say holds all the same.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.custom",
    promise: "The operator's own rules hold for governed agents too, unless their profile says otherwise of them.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.egress",
    promise: "Links and images in answers go only where the profile allows, whole and streamed.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.models",
    promise: "A governed agent uses and sees the models of its profile only.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.tools-declared",
    promise:
      "A request that declares a tool the profile does not allow is refused, by whatever name or kind it is declared.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.tools-called",
    promise:
      "A model's call of a tool the profile does not allow does not leave, whole or streamed, in whatever pieces its name comes.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.tools-gateway",
    promise: "The tools a governed agent is listed and can call are those of its profile and its restrictions.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.output-tokens",
    promise: "Answers are as long as the profile allows: longer ones are refused, open ones are bounded.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.limits",
    promise:
      "Requests, tokens and calls at a time are limited per agent, exactly, under parallel calls too; a refused call takes nothing, and what was reserved too much is given back.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.limits-day",
    promise: "Budgets of a day survive a restart.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.limits-conversation",
    promise: "Calls of models and of tools are limited per conversation.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.rate-headers",
    promise: "Answers to an agent with limits say what is left of them, in the headers OpenAI's clients read.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.block-response",
    promise:
      "Where the profile says so a block is a completion with a refusal: whole, streamed, and in the middle of a stream.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.tainted",
    promise:
      "A tool that acts is not given what only a tool had said: flagged, blocked or held as the profile says, on both roads.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.human",
    promise:
      "A tool call that needs a person passes once for each approval; of several in one answer none is used up before all are approved.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.denied-by",
    promise:
      "Every denial names its layer and rule in the error and on record, and every record carries the profile's version.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.versions",
    promise: "A new profile holds from the next call on; a stream that is open keeps its own.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.fail-mode",
    promise:
      "When the scanner fails, a profile decides whether the text passes unscanned, on record, or the call fails; streams fail.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.strictest",
    promise: "Another restriction or another rule of the floor never loosens anything.",
    source: "issue 5, 4",
  },
  {
    id: "enforce.effective",
    promise: "Who may see an agent can ask what it is held to, and which layer says each of it.",
    source: "issue 5, 4",
  },
];

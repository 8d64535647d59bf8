import type { Requirement } from "./requirement";

/** What is promised of what a profile enforces. */
export const ENFORCEMENT: readonly Requirement[] = [
  {
    id: "enforce.detectors",
    promise:
      "A governed agent's texts are judged by its profile's detectors, thresholds and actions, by origin: in chat, streams, probes and the tool gateway.",
    source: "docs/spec/enforcement.md#detectors",
  },
  {
    id: "enforce.floor",
    promise: "No profile goes below the floor, not one that only watches either.",
    source: "docs/spec/enforcement.md#detectors",
  },
  {
    id: "enforce.monitor",
    promise:
      "A profile that only watches changes and refuses nothing, and puts on record what it would have done; what other layers say holds all the same.",
    source: "docs/spec/enforcement.md#monitor-mode",
  },
  {
    id: "enforce.custom",
    promise: "The operator's own rules hold for governed agents too, unless their profile says otherwise of them.",
    source: "docs/spec/enforcement.md#detectors",
  },
  {
    id: "enforce.egress",
    promise: "Links and images in answers go only where the profile allows, whole and streamed.",
    source: "docs/spec/enforcement.md#detectors",
  },
  {
    id: "enforce.models",
    promise: "A governed agent uses and sees the models of its profile only.",
    source: "docs/spec/enforcement.md#models",
  },
  {
    id: "enforce.tools-declared",
    promise:
      "A request that declares a tool the profile does not allow is refused, by whatever name or kind it is declared.",
    source: "docs/spec/enforcement.md#tools",
  },
  {
    id: "enforce.tools-called",
    promise:
      "A model's call of a tool the profile does not allow does not leave, whole or streamed, in whatever pieces its name comes.",
    source: "docs/spec/enforcement.md#tools",
  },
  {
    id: "enforce.tools-gateway",
    promise: "The tools a governed agent is listed and can call are those of its profile and its restrictions.",
    source: "docs/spec/enforcement.md#tools",
  },
  {
    id: "enforce.output-tokens",
    promise: "Answers are as long as the profile allows: longer ones are refused, open ones are bounded.",
    source: "docs/spec/enforcement.md#models",
  },
  {
    id: "enforce.limits",
    promise:
      "Requests, tokens and calls at a time are limited per agent, exactly, under parallel calls too; a refused call takes nothing, and what was reserved too much is given back.",
    source: "docs/spec/enforcement.md#limits",
  },
  {
    id: "enforce.limits-day",
    promise: "Budgets of a day survive a restart.",
    source: "docs/spec/enforcement.md#limits",
  },
  {
    id: "enforce.limits-conversation",
    promise: "Calls of models and of tools are limited per conversation.",
    source: "docs/spec/enforcement.md#limits",
  },
  {
    id: "enforce.rate-headers",
    promise: "Answers to an agent with limits say what is left of them, in the headers OpenAI's clients read.",
    source: "docs/spec/enforcement.md#limits",
  },
  {
    id: "enforce.block-response",
    promise:
      "Where the profile says so a block is a completion with a refusal: whole, streamed, and in the middle of a stream.",
    source: "docs/spec/enforcement.md#refusals",
  },
  {
    id: "enforce.tainted-values",
    promise:
      "A profile says from which score on tainted values count, and whether a tool that reads counts where data is added to a tool's URL; a definition can make a tool one that acts, never one that reads; profiles without it act as before.",
    source: "docs/enforcement.md#tainted-values",
  },
  {
    id: "enforce.tainted-roads",
    promise:
      "Under such a profile an answer's tool calls are held against all that a named conversation has said, on both roads, even if the request no longer has it.",
    source: "docs/enforcement.md#tainted-values",
  },
  {
    id: "enforce.tainted",
    promise:
      "A tool with effects is not given a value that occurred only in a tool's result: it is flagged, blocked or held as the profile says, in chat and at the tool gateway.",
    source: "docs/spec/enforcement.md#tools",
  },
  {
    id: "enforce.human",
    promise:
      "A tool call that needs a person passes once for each approval; of several in one answer none is used up before all are approved.",
    source: "docs/spec/enforcement.md#tools",
  },
  {
    id: "enforce.denied-by",
    promise:
      "Every denial names its layer and rule in the error and on record, and every record carries the profile's version.",
    source: "docs/spec/enforcement.md#refusals",
  },
  {
    id: "enforce.versions",
    promise: "A new profile holds from the next call on; a stream that is open keeps its own.",
    source: "docs/spec/enforcement.md#versions",
  },
  {
    id: "enforce.fail-mode",
    promise:
      "When the scanner fails, a profile decides whether the text passes unscanned, on record, or the call fails; streams fail.",
    source: "docs/spec/enforcement.md#scanner-failures",
  },
  {
    id: "enforce.strictest",
    promise: "Another restriction or another rule of the floor never loosens anything.",
    source: "docs/spec/enforcement.md#detectors",
  },
  {
    id: "enforce.effective",
    promise: "Who may see an agent can ask what it is held to, and which layer says each of it.",
    source: "docs/spec/enforcement.md#versions",
  },
];

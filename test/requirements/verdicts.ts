import type { Requirement } from "./requirement";

/** What is promised to systems that ask for verdicts. */
export const VERDICTS: readonly Requirement[] = [
  {
    id: "verdicts.litellm",
    promise:
      "What LiteLLM sends its generic guardrail API is allowed, redacted or blocked as calls are, and is on record.",
    source: "docs/verdicts.md#litellm",
  },
  {
    id: "verdicts.harnesses",
    promise:
      "Prompts, tool calls and answers of tools of five coding agents are judged and answered in their own form.",
    source: "docs/verdicts.md#hooks-of-coding-agents",
  },
  {
    id: "verdicts.all-or-nothing",
    promise: "What would be redacted is denied where the system takes no other text.",
    source: "docs/verdicts.md#what-is-denied",
  },
  {
    id: "verdicts.hook-command",
    promise: "`guardhouse hook` prints the hub's verdict, and without one denies, or allows where it is told to.",
    source: "docs/verdicts.md#without-a-verdict",
  },
  {
    id: "verdicts.sources",
    promise: "A frame of a hook source is judged as a call is, and answered once that is on record.",
    source: "docs/verdicts.md#sources",
  },
  {
    id: "verdicts.signed",
    promise:
      "A frame that no source has signed over these very bytes within five minutes is refused unread, counted in the audit log without content, and slowed down.",
    source: "docs/verdicts.md#signatures",
  },
  {
    id: "verdicts.repeated",
    promise: "A frame that comes again is given the same answer, and is judged once.",
    source: "docs/verdicts.md#signatures",
  },
  {
    id: "verdicts.unknown-frames",
    promise: "Frames of a type that is not known are allowed and recorded as unscanned; so are blocks of one.",
    source: "docs/verdicts.md#anthropic-and-cursor",
  },
  {
    id: "verdicts.in-time",
    promise: "A source is answered within its budget: what could not be looked at by then is denied.",
    source: "docs/verdicts.md#anthropic-and-cursor",
  },
  {
    id: "verdicts.people",
    promise:
      "A call of a source belongs to the person it names and to its agent; who is unknown is named by an id and made no user.",
    source: "docs/verdicts.md#people-and-agents",
  },
  {
    id: "verdicts.disputes",
    promise:
      "Who was denied disputes it, administrators for people the hub does not know, and nobody else but the agent's owner.",
    source: "docs/verdicts.md#people-and-agents",
  },
  {
    id: "verdicts.copilot-studio",
    promise: "Copilot Studio is told that it is let in, and whether its agents may call a tool.",
    source: "docs/verdicts.md#copilot-studio",
  },
  {
    id: "verdicts.source-settings",
    promise:
      "Sources are added, tested, given new secrets and removed by command, API and page, or stand in the configuration.",
    source: "docs/verdicts.md#sources",
  },
  {
    id: "verdicts.no-content",
    promise: "Nothing of a frame or a secret is in logs, errors, metrics or records.",
    source: "docs/verdicts.md#sources",
  },
];

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
];

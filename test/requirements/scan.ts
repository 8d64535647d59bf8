import type { Requirement } from "./requirement";

/** What is promised of what is scanned, and what is made of it. */
export const SCAN: readonly Requirement[] = [
  {
    id: "json.exact",
    promise: "Numbers of any length and form pass digit for digit: chat, tool calls, structured results, streams.",
    source: "docs/scanning.md#what-is-looked-at",
  },
  {
    id: "scan.json-labels",
    promise: "A redaction in a JSON text leaves valid JSON, whole and streamed: numbers become quoted labels.",
    source: "docs/scanning.md#labels-in-json",
  },
  {
    id: "json.repeated-names",
    promise: "A JSON text that gives a name twice in one object is known as such, with the place.",
    source: "docs/scanning.md#what-is-looked-at",
  },
  {
    id: "scan.envelope",
    promise:
      "Every place of an answer is scanned alike, whole and streamed: envelope, ids, names, numbers, odd choices.",
    source: "docs/scanning.md#what-is-looked-at",
  },
  {
    id: "json.sliced",
    promise: "Large JSON texts are read, walked and written in slices, with the same result as in one piece.",
    source: "docs/architecture.md",
  },
  {
    id: "scan.duplicate-keys",
    promise: "A name given twice in one JSON object cannot carry anything past the scan.",
    source: "gateways.md §2.5",
  },
  {
    id: "scan.unscanned",
    promise: "What could not be scanned is recorded as unscanned with the reason, never as passed.",
    source: "decisions.md §4",
  },
  {
    id: "scan.base64",
    promise:
      "Base64 and data URLs are decoded wherever they stand and scanned when their bytes are text; what is no text is recorded as unscanned, and keys with a prefix are found in it.",
    source: "docs/scanning.md#files",
  },
  {
    id: "scan.every-place",
    promise:
      "Every message of every role, part, tool call, result, schema, name, metadata and unknown field of a request is scanned.",
    source: "gateways.md §2.5",
  },
  {
    id: "scan.redaction-only",
    promise: "A redaction reaches the provider with a stable label, and nothing else of the request is changed.",
    source: "decisions.md §4",
  },
  {
    id: "scan.origins",
    promise: "Policies judge a text by where it comes from.",
    source: "decisions.md §4",
  },
  {
    id: "scan.baseline",
    promise:
      "Unless configured otherwise: secrets block on the way in and are redacted in outputs and tool results; card numbers, bank accounts and national ids are redacted, other personal data flagged; injections block where near certain from users and in tool results, else are flagged.",
    source: "decisions §7",
  },
  {
    id: "scan.transport-keys",
    promise: "Keys and headers that would choose the upstream or its key are refused or not passed on.",
    source: "decisions.md §4",
  },
  {
    id: "scan.verdict-cache",
    promise: "Unchanged history costs a look-up, not a scan.",
    source: "decisions.md §4",
  },
  {
    id: "guard.headers",
    promise: "x-guard-action, x-guard-event-id and x-guard-overhead-ms say what the guard did.",
    source: "decisions.md §4",
  },
  {
    id: "probe.shape",
    promise: "POST /v1/guard/scan answers safe, scan_ms, flags with masked previews, mode and policy_revision.",
    source: "decisions.md §5",
  },
  {
    id: "probe.offsets",
    promise: "Offsets are UTF-16 units of the text that was sent.",
    source: "decisions.md §5",
  },
  {
    id: "probe.origins",
    promise: "A probe is judged at its origin, as a call would be.",
    source: "decisions.md §5",
  },
  {
    id: "probe.agents",
    promise: "A probe may name the caller's own agents; any other answers as what does not exist.",
    source: "decisions.md §5",
  },
  {
    id: "probe.audited",
    promise: "A probe is audited as a call and makes no event.",
    source: "decisions.md §5",
  },
  {
    id: "probe.mode",
    promise: "A probe says the mode of the policy that would apply.",
    source: "decisions.md §5",
  },
  {
    id: "guard.modes",
    promise: "monitor changes nothing and records what would be done; off records everything as unscanned.",
    source: "decisions.md §5",
  },
  {
    id: "guard.fail-closed",
    promise: "A text that could not be judged is not passed on: the call fails with guard_unavailable.",
    source: "decisions.md §3",
  },
  {
    id: "scan.custom",
    promise: "Operators' own words and patterns are found like any other, in linear time, whole and streamed.",
    source: "decisions.md §5",
  },
  {
    id: "scan.detection",
    promise: "Of every type made by rule nearly all is found, and of what only looks like it next to nothing.",
    source: "decisions.md §5",
  },
  {
    id: "scan.ordinary-ids",
    promise:
      "Ids of programs are passed on unchanged: a short or ambiguous word before a number is never enough, nor are digits that only might be a card's.",
    source: "docs/scanning.md#detectors",
  },
  {
    id: "scan.cards",
    promise:
      "Card numbers are found in the groups and separators that people and extraction tools write, whole and streamed.",
    source: "docs/scanning.md#detectors",
  },
  {
    id: "scan.published-examples",
    promise: "Published examples, test numbers, placeholders and identifiers that are public by design block nothing.",
    source: "docs/scanning.md#what-is-done",
  },
  {
    id: "scan.generic-secrets",
    promise: "A value that looks drawn and is assigned to a secret's name is blocked or redacted, whoever gave it out.",
    source: "docs/scanning.md#what-is-done",
  },
  {
    id: "scan.honest-traffic",
    promise:
      "Of honest logs, JSON, lock files, diffs, code and prompts at most 0.05 % are changed or blocked, and 0.5 % flagged.",
    source: "docs/detection.md#honest-traffic",
  },
  {
    id: "scan.honest-tools",
    promise: "Names and definitions of honest tools are taken for no attack and no secret, in calls as at the gateway.",
    source: "docs/detection.md#honest-traffic",
  },
  {
    id: "scan.told-attacks",
    promise: "Texts that only tell of attacks are flagged at most.",
    source: "docs/scanning.md#detectors",
  },
  {
    id: "scan.joined-tokens",
    promise:
      "A vendor's token right behind a letter is found where its prefix is the vendor's own and its length fits.",
    source: "docs/scanning.md#detectors",
  },
  {
    id: "scan.wrapped-base64",
    promise: "Base64 in lines of any length is decoded as one token in whole texts.",
    source: "docs/scanning.md#detectors",
  },
  {
    id: "scan.evaluation",
    promise: "One command measures the scanner on a folder of labelled samples, and shows none of them unless told to.",
    source: "decisions.md §5",
  },
  {
    id: "provenance.tainted",
    promise:
      "A value in a tool call's arguments that only results of tools had is found, with the message it came from.",
    source: "scanning.md §0",
  },
  {
    id: "provenance.trusted",
    promise: "A value that a system, developer or user message has is never taken for a tool's.",
    source: "scanning.md §0",
  },
  {
    id: "provenance.rewriting",
    promise: "Case, spaces, Unicode forms and escapes do not hide where a value came from.",
    source: "scanning.md §0",
  },
  {
    id: "provenance.lazy",
    promise: "Provenance costs nothing without results of tools and calls of tools.",
    source: "scanning.md §0",
  },
  {
    id: "provenance.bounded",
    promise: "Following values takes linear time and bounded memory; what was not followed is recorded.",
    source: "scanning.md §0",
  },
  {
    id: "provenance.slices",
    promise:
      "Of a long call, what values are traced in is taken in in slices, and gives way to other calls; the findings are the same.",
    source: "docs/architecture.md#long-texts",
  },
  {
    id: "provenance.enforced",
    promise: "Tainted arguments are flagged, redacted or blocked as configured, in whole answers and in streams.",
    source: "scanning.md §0",
  },
  {
    id: "scan.disguises",
    promise: "What a whole text says in an encoding or a disguised spelling is found, and replaced where it stands.",
    source: "decisions.md §5",
  },
  {
    id: "scan.rule-monitor",
    promise: "Any rule can run in monitor mode: it changes nothing, and every flag of it says what it would have done.",
    source: "decisions.md §5",
  },
  {
    id: "scan.linear",
    promise: "No detector is dearer than linear on hostile text, tried on a megabyte of its own keywords.",
    source: "decisions.md §5",
  },
  {
    id: "scan.long-texts",
    promise:
      "A megabyte of whatever detectors begin with costs less than a second of CPU: no value is judged by work that could be done once.",
    source: "docs/benchmarks.md#long-texts",
  },
  {
    id: "egress.links",
    promise: "Links and images in answers that point to hosts a profile does not expect are found, whole and streamed.",
    source: "decisions.md §7",
  },
  {
    id: "scan.same-everywhere",
    promise: "The executable, over HTTP and by command, finds in a text what the library finds in it.",
    source: "issue 4, end",
  },
  {
    id: "scan.trial",
    promise:
      "People try the scanner out at /api/scan, as themselves or as an agent they may see; it is recorded once, as theirs, however often it is timed.",
    source: "issue 8",
  },
];

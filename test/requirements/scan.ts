import type { Requirement } from "./requirement";

/** What is promised of what is scanned, and what is made of it. */
export const SCAN: readonly Requirement[] = [
  {
    id: "json.exact",
    promise: "Numbers of any length and form pass digit for digit: chat, tool calls, structured results, streams.",
    source: "docs/scanning.md#what-is-scanned",
  },
  {
    id: "scan.json-labels",
    promise: "A redaction in a JSON text leaves valid JSON, whole and streamed: numbers become quoted labels.",
    source: "docs/scanning.md#labels-in-json",
  },
  {
    id: "scan.labels",
    promise:
      "Equal values have equal labels in every call of an agent, whatever stands around them and after restarts; those of other agents differ, and no detector reads a label.",
    source: "docs/scanning.md#labels",
  },
  {
    id: "scan.replay",
    promise: "A conversation that is sent again is redacted to the same bytes at every turn, whole and streamed.",
    source: "docs/scanning.md#labels",
  },
  {
    id: "scan.earlier-decisions",
    promise:
      "What was redacted in a named conversation, and what was not, stays so when the policy changes; a block always applies.",
    source: "docs/scanning.md#a-policy-that-changes-during-a-conversation",
  },
  {
    id: "json.repeated-names",
    promise: "A JSON text that gives a name twice in one object is known as such, with the place.",
    source: "docs/scanning.md#what-is-scanned",
  },
  {
    id: "scan.envelope",
    promise:
      "Every place of an answer is scanned alike, whole and streamed: envelope, ids, names, numbers, odd choices.",
    source: "docs/scanning.md#what-is-scanned",
  },
  {
    id: "json.sliced",
    promise: "Large JSON texts are read, walked and written in slices, with the same result as in one piece.",
    source: "docs/spec/scanning.md#large-json",
  },
  {
    id: "scan.duplicate-keys",
    promise: "A name given twice in one JSON object cannot carry anything past the scan.",
    source: "docs/spec/scanning.md#what-is-scanned-in-a-request",
  },
  {
    id: "scan.unscanned",
    promise: "What could not be scanned is recorded as unscanned with the reason, never as passed.",
    source: "docs/spec/scanning.md#what-was-not-scanned",
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
    source: "docs/spec/scanning.md#what-is-scanned-in-a-request",
  },
  {
    id: "scan.redaction-only",
    promise: "A redaction reaches the provider with a stable label, and nothing else of the request is changed.",
    source: "docs/spec/scanning.md#what-is-done",
  },
  {
    id: "scan.origins",
    promise: "Policies judge a text by where it comes from.",
    source: "docs/spec/scanning.md#what-is-scanned-in-a-request",
  },
  {
    id: "scan.baseline",
    promise:
      "Unless configured otherwise: secrets block on the way in and are redacted in outputs and tool results; card numbers, bank accounts and national ids are redacted, other personal data flagged; injections block where near certain from users and in tool results, else are flagged.",
    source: "docs/spec/scanning.md#what-is-done",
  },
  {
    id: "scan.transport-keys",
    promise: "Keys and headers that would choose the upstream or its key are refused or not passed on.",
    source: "docs/spec/scanning.md#keys-that-choose-the-upstream",
  },
  {
    id: "scan.verdict-cache",
    promise: "Unchanged history costs a look-up, not a scan.",
    source: "docs/spec/scanning.md#repeated-history",
  },
  {
    id: "scan.verdict-memory",
    promise: "Cached verdicts with many findings are bounded by their findings, and displace none with few.",
    source: "docs/spec/scanning.md#repeated-history",
  },
  {
    id: "guard.headers",
    promise: "x-guard-action, x-guard-event-id and x-guard-overhead-ms say what the guard did.",
    source: "docs/spec/scanning.md#what-is-done",
  },
  {
    id: "probe.shape",
    promise: "POST /v1/guard/scan answers safe, scan_ms, flags with masked previews, mode and policy_revision.",
    source: "docs/spec/scanning.md#the-probe",
  },
  {
    id: "probe.offsets",
    promise: "Offsets are UTF-16 units of the text that was sent.",
    source: "docs/spec/scanning.md#the-probe",
  },
  {
    id: "probe.origins",
    promise: "A probe is judged at its origin, as a call would be.",
    source: "docs/spec/scanning.md#the-probe",
  },
  {
    id: "probe.agents",
    promise: "A probe may name the caller's own agents; any other answers as what does not exist.",
    source: "docs/spec/scanning.md#the-probe",
  },
  {
    id: "probe.audited",
    promise: "A probe is audited as a call and makes no event.",
    source: "docs/spec/scanning.md#the-probe",
  },
  {
    id: "probe.mode",
    promise: "A probe says the mode of the policy that would apply.",
    source: "docs/spec/scanning.md#the-probe",
  },
  {
    id: "guard.text-origins",
    promise:
      "A text of a request has the origin of whoever said it, by the tables of its API; the user's, where none knows it.",
    source: "docs/scanning.md#origins",
  },
  {
    id: "guard.opaque",
    promise: "Encoded state is passed on unread and unchanged, on record; what is not written like it is read.",
    source: "docs/scanning.md#what-is-scanned",
  },
  {
    id: "guard.fixed-texts",
    promise: "A text that must not change is flagged or blocked, never redacted.",
    source: "docs/scanning.md#what-is-scanned",
  },
  {
    id: "guard.modes",
    promise: "monitor changes nothing and records what would be done; off records everything as unscanned.",
    source: "docs/spec/scanning.md#modes",
  },
  {
    id: "guard.fail-closed",
    promise: "A text that could not be judged is not passed on: the call fails with guard_unavailable.",
    source: "docs/spec/scanning.md#when-the-scanner-fails",
  },
  {
    id: "scan.custom",
    promise: "Operators' own words and patterns are found like any other, in linear time, whole and streamed.",
    source: "docs/spec/scanning.md#custom-rules",
  },
  {
    id: "scan.detection",
    promise: "Of every type made by rule nearly all is found, and of what only looks like it next to nothing.",
    source: "docs/spec/scanning.md#detection-quality",
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
    id: "scan.card-fields",
    promise:
      "A number without groups that is a JSON field's whole value is only flagged under the name of an id, and replaced under a name of payments or any other.",
    source: "docs/scanning.md#detectors",
  },
  {
    id: "scan.published-examples",
    promise: "Published examples, test numbers, placeholders and identifiers that are public by design block nothing.",
    source: "docs/scanning.md#actions",
  },
  {
    id: "scan.generic-secrets",
    promise: "A value that looks drawn and is assigned to a secret's name is blocked or redacted, for any issuer.",
    source: "docs/scanning.md#actions",
  },
  {
    id: "scan.service-secrets",
    promise:
      "A value that looks drawn beside the name of a service that gives out keys is found in settings, code and prose: nine in ten, and eight in ten stopped.",
    source: "docs/scanning.md#secrets-without-a-mark",
  },
  {
    id: "scan.honest-services",
    promise: "Ids, digests, commits and public keys beside the names of services are no secrets.",
    source: "docs/detection.md#honest-traffic",
  },
  {
    id: "scan.address-secrets",
    promise: "Keys in the parameters of addresses are stopped; signatures that expire are noted.",
    source: "docs/scanning.md#secrets-without-a-mark",
  },
  {
    id: "scan.column-secrets",
    promise:
      "A cell of a table under a head that names a secret is judged as if it were assigned to that name, in streams too.",
    source: "docs/scanning.md#secrets-without-a-mark",
  },
  {
    id: "scan.escaped-cues",
    promise: "A secret is found where the name or the sign before it is escaped, in streams too.",
    source: "docs/scanning.md#detectors",
  },
  {
    id: "scan.connection-secrets",
    promise: "Passwords in settings of connections, password files, declarations and commands are stopped.",
    source: "docs/scanning.md#secrets-without-a-mark",
  },
  {
    id: "scan.drawn",
    promise: "Values drawn at random are told from words and names by the pairs of their letters.",
    source: "docs/scanning.md#secrets-without-a-mark",
  },
  {
    id: "scan.honest-traffic",
    promise:
      "Of honest logs, JSON, lock files, diffs, code and prompts at most 0.05 % are changed or blocked, and 0.5 % flagged.",
    source: "docs/detection.md#honest-traffic",
  },
  {
    id: "scan.running-names",
    promise:
      "Where a policy asks for them, names, places and addresses are found in running text in four languages, and not in code, logs and headings.",
    source: "docs/scanning.md#names-and-places",
  },
  {
    id: "scan.running-names-redacted",
    promise:
      "A profile can have names, places and addresses of its agent redacted, in requests, whole and streamed answers and results of tools.",
    source: "docs/scanning.md#names-and-places",
  },
  {
    id: "scan.running-names-off",
    promise: "The built-in policy notes addresses, but no persons and places in running text.",
    source: "docs/scanning.md#names-and-places",
  },
  {
    id: "scan.running-names-streamed",
    promise:
      "In streams the same names, places and addresses are redacted as in whole texts; a few words wait at most.",
    source: "docs/scanning.md#names-and-places",
  },
  {
    id: "scan.national-phones",
    promise:
      "Telephone numbers in national form are found behind the words of thirteen languages; ids under field names are none.",
    source: "docs/scanning.md#detectors",
  },
  {
    id: "scan.health-numbers",
    promise: "Numbers of patients and of health insurance are flagged behind words that announce them.",
    source: "docs/scanning.md#detectors",
  },
  {
    id: "scan.honest-tools",
    promise: "Names and definitions of honest tools are taken for no attack and no secret, in calls as at the gateway.",
    source: "docs/detection.md#honest-traffic",
  },
  {
    id: "scan.injection-grammar",
    promise: "Setting a model's orders aside and asking for them is flagged in twelve languages, by verb and object.",
    source: "docs/scanning.md#detectors",
  },
  {
    id: "scan.injection-pretexts",
    promise: "Orders in tool results that pose as a system's message, a correction, training or debugging are flagged.",
    source: "docs/scanning.md#detectors",
  },
  {
    id: "scan.classifier-alone",
    promise: "The trained model never blocks alone: a rule must have found something in the same text.",
    source: "docs/scanning.md#actions",
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
    source: "docs/spec/scanning.md#detection-quality",
  },
  {
    id: "scan.evaluation-rates",
    promise:
      "The evaluation gives found, enforced, false alarms and cost by origin and language with 95 % intervals, whole and streamed, and says where the two differ.",
    source: "docs/detection.md#method",
  },
  {
    id: "scan.evaluation-left-out",
    promise:
      "The evaluation judges each source of injections by the rules and a model that has seen neither it nor copies of it, by source, origin and language with 95 % intervals.",
    source: "docs/detection.md#results",
  },
  {
    id: "scan.evaluation-scores",
    promise: "The evaluation tells of each flag type what its scores mean, and the documents say it of every type.",
    source: "docs/detection.md#scores",
  },
  {
    id: "scan.evaluation-peers",
    promise: "Programs of others run on the same samples with the same matching; one that is not installed is named.",
    source: "docs/detection.md#compared-with-others",
  },
  {
    id: "scan.in-sample",
    promise: "Every figure of detection in a table says whether rules or model were tuned on its samples.",
    source: "docs/detection.md#method",
  },
  {
    id: "provenance.tainted",
    promise:
      "A value in a tool call's arguments that only results of tools had is found, with the message it came from.",
    source: "docs/spec/scanning.md#provenance",
  },
  {
    id: "provenance.commands",
    promise:
      "Command lines, packages to install, repositories, URLs with data added to them and paths where writing gives access are followed, each with its score.",
    source: "docs/scanning.md#provenance-of-arguments",
  },
  {
    id: "provenance.decoded",
    promise: "What a tool says in base64 or hexadecimal it says.",
    source: "docs/scanning.md#provenance-of-arguments",
  },
  {
    id: "scan.addressed-model",
    promise:
      "A tool's result that talks to the model is flagged by its structure, and blocked where several signs come together with an order.",
    source: "docs/scanning.md#detectors",
  },
  {
    id: "scan.addressed-honest",
    promise: "Documents of chat templates, prompts of others, chat logs and orders to people are not blocked.",
    source: "docs/scanning.md#detectors",
  },
  {
    id: "simulate.attacks",
    promise:
      "One command plays scripted agents against indirect attacks, with and without the hub, and says how many succeed and how many tasks are done.",
    source: "docs/detection.md#indirect-attacks",
  },
  {
    id: "provenance.trusted",
    promise: "A value that a system, developer or user message has is never taken for a tool's.",
    source: "docs/spec/scanning.md#provenance",
  },
  {
    id: "provenance.rewriting",
    promise: "Case, spaces, Unicode forms and escapes do not hide where a value came from.",
    source: "docs/spec/scanning.md#provenance",
  },
  {
    id: "provenance.lazy",
    promise: "Provenance costs nothing without results of tools and calls of tools.",
    source: "docs/spec/scanning.md#provenance",
  },
  {
    id: "provenance.bounded",
    promise: "Following values takes linear time and bounded memory; what was not followed is recorded.",
    source: "docs/spec/scanning.md#provenance",
  },
  {
    id: "provenance.slices",
    promise:
      "Of a long call, what values are traced in is taken in in slices, and gives way to other calls; the findings are the same.",
    source: "docs/architecture.md#long-texts",
  },
  {
    id: "provenance.shared",
    promise:
      "Where several processes serve, what a conversation said through one is found at each, in one order for all; it is kept encrypted, bounded, and for an hour.",
    source: "docs/spec/scanning.md#provenance",
  },
  {
    id: "provenance.followed",
    promise:
      "Accounts, addresses, URLs and phone numbers that only a tool said are known for at least half an hour in all conversations of the agent and in calls that name none, at every process: as fingerprints, bounded, under a profile that says which values count. They are held where the hub has heard a request of the agent's to a model, and flagged else.",
    source: "docs/spec/scanning.md#provenance",
  },
  {
    id: "provenance.orders",
    promise:
      "Under such a profile a call counts as tainted if a result, or the description of another tool, orders that action with a value which nobody trusted has said.",
    source: "docs/spec/scanning.md#provenance",
  },
  {
    id: "provenance.wanted",
    promise:
      "Under such a profile the sender of a mail is no tainted recipient where somebody trusted wants it answered, nor is a URL on a host the profile lets links go to.",
    source: "docs/spec/scanning.md#provenance",
  },
  {
    id: "provenance.encoded",
    promise:
      "Data in the path or the name of a host that only a tool said, encoded in one piece which nobody has said, counts as data added to a tool's URL.",
    source: "docs/spec/scanning.md#provenance",
  },
  {
    id: "provenance.enforced",
    promise: "Tainted arguments are flagged, redacted or blocked as configured, in whole answers and in streams.",
    source: "docs/spec/scanning.md#provenance",
  },
  {
    id: "scan.disguises",
    promise: "What a whole text says in an encoding or a disguised spelling is found, and replaced where it stands.",
    source: "docs/spec/scanning.md#detection-quality",
  },
  {
    id: "scan.streams-disguises",
    promise:
      "What an answer says in an encoding or a disguised spelling is found, and kept back, in a stream as in a whole answer.",
    source: "docs/spec/scanning.md#detection-quality",
  },
  {
    id: "scan.rule-monitor",
    promise: "Any rule can run in monitor mode: it changes nothing, and every flag of it says what it would have done.",
    source: "docs/spec/scanning.md#modes",
  },
  {
    id: "scan.linear",
    promise: "No detector is dearer than linear on hostile text, tried on a megabyte of its own keywords.",
    source: "docs/spec/scanning.md#cost",
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
    source: "docs/spec/scanning.md#links-in-answers",
  },
  {
    id: "scan.same-everywhere",
    promise: "The executable, over HTTP and by command, finds in a text what the library finds in it.",
    source: "docs/spec/scanning.md#one-scanner-everywhere",
  },
  {
    id: "scan.trial",
    promise:
      "People try the scanner out at /api/scan, as themselves or as an agent they may see; it is recorded once, as theirs, however often it is timed.",
    source: "docs/spec/scanning.md#one-scanner-everywhere",
  },
];

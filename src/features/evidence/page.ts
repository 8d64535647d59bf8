import { COMMANDS, commandLine } from "#core/command-line";
import { escaped } from "#core/html";
import type { Evidence } from "./schema";

/* The report as one page of HTML: no scripts, nothing loaded, laid out for paper. */

const STYLE = `
:root { color-scheme: light; }
body { font: 11pt/1.45 system-ui, sans-serif; color: #111; max-width: 52rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.6rem; margin: 0 0 .25rem; } h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; break-after: avoid; }
p { margin: .4rem 0; } .note { color: #555; }
table { border-collapse: collapse; width: 100%; font-size: .92em; } thead { display: table-header-group; }
th, td { text-align: left; vertical-align: top; padding: .25rem .5rem; border-bottom: 1px solid #ddd; overflow-wrap: anywhere; }
th { overflow-wrap: normal; white-space: nowrap; } td.n { text-align: right; white-space: nowrap; } tr { break-inside: avoid; }
code, pre { font: .85em ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap; }
@page { margin: 18mm; } @media print { body { margin: 0; max-width: none; } }
`;

type Cell = string | number | null;
type Column<T> = { readonly name: string; readonly cell: (row: T) => Cell };

export const evidencePage = (evidence: Evidence): string => {
  const { agent, from, to } = evidence;
  const title = `Evidence for ${agent.name}`;
  return [
    "<!doctype html>",
    `<html lang="en"><head><meta charset="utf-8"><title>${escaped(title)}</title>`,
    `<meta http-equiv="content-security-policy" content="default-src 'none'; style-src 'unsafe-inline'">`,
    `<style>${STYLE}</style></head><body>`,
    `<h1>${escaped(title)}</h1>`,
    `<p>${escaped(from)} to ${escaped(to)}, made ${escaped(evidence.made_at)} by Guardhouse ${escaped(evidence.hub.version)}.</p>`,
    `<p class="note">What the hub enforced and recorded. It has no content of calls. The JSON file beside it says the same for programs, with a proof of each cited call; the note beside it is signed and names both files by their hashes. <code>${commandLine(COMMANDS.checkProof())}</code> checks all of it with the public key below.</p>`,
    ...sections(evidence),
    "</body></html>\n",
  ].join("\n");
};

const sections = (evidence: Evidence): string[] => [
  section("Agent", facts(evidence.agent)),
  section("Reviews", table(evidence.reviews, REVIEWS, "No review.")),
  section(
    "Profiles",
    table(evidence.profiles, PROFILES, "No profile was ever in force: the agent ran under the baseline."),
  ),
  section("Calls", callsOf(evidence)),
  section("Findings", table(evidence.findings, FINDINGS, "None.")),
  section("What was scanned", coverageOf(evidence)),
  section("Disputes", facts(evidence.disputes)),
  section("Restrictions", table(evidence.restrictions, RESTRICTIONS, "None was in force.")),
  section("Kill switches", table(evidence.kill_switches, KILL_SWITCHES, "None was on.")),
  section("Changes", [shownOf(evidence.changes), ...table(evidence.changes.shown, CHANGES, "None.")]),
  section("Audit log", logOf(evidence)),
  section("Cited calls", [
    shownOf(evidence.cited),
    ...table(evidence.cited.shown, CITED, "Nothing was blocked, redacted or refused."),
  ]),
  section("What this is evidence for", [
    text("Whether a duty is fulfilled, no report can say."),
    ...table(evidence.duties, DUTIES, ""),
  ]),
];

const section = (title: string, parts: readonly string[]): string =>
  [`<h2>${escaped(title)}</h2>`, ...parts].join("\n");

const text = (words: string): string => `<p>${escaped(words)}</p>`;

const shownOf = ({ total, shown }: { readonly total: number; readonly shown: readonly unknown[] }): string =>
  text(total > shown.length ? `${total} in all; the newest ${shown.length} are shown.` : `${total} in all.`);

const facts = (of: Readonly<Record<string, Cell>>): string[] =>
  table(Object.entries(of), [
    { name: "", cell: ([name]) => name.replaceAll("_", " ") },
    { name: "", cell: ([, value]) => (value === null ? null : String(value)) },
  ]);

const table = <T>(rows: readonly T[], columns: readonly Column<T>[], none = ""): string[] => {
  if (rows.length === 0) return none === "" ? [] : [text(none)];
  const hasHead = columns.some(({ name }) => name !== "");
  const head = columns.map(({ name }) => `<th>${escaped(name)}</th>`).join("");
  const body = rows.map((row) => `<tr>${columns.map(({ cell }) => cellOf(cell(row))).join("")}</tr>`);
  return ["<table>", ...(hasHead ? [`<thead><tr>${head}</tr></thead>`] : []), "<tbody>", ...body, "</tbody></table>"];
};

const cellOf = (value: Cell): string =>
  typeof value === "number" ? `<td class="n">${value}</td>` : `<td>${escaped(value ?? "–")}</td>`;

const countsOf = (counts: Readonly<Record<string, number>>): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");

const receiptsOf = (receipts: readonly { readonly point: string; readonly confirmed_at: string }[]): string =>
  receipts.map(({ point, confirmed_at }) => `${point} ${confirmed_at}`).join(", ");

const callsOf = ({ calls }: Evidence): string[] =>
  facts({
    total: calls.total,
    decisions: countsOf(calls.by_decision),
    outcomes: countsOf(calls.by_outcome),
    kinds: countsOf(calls.by_kind),
    models: countsOf(calls.by_model),
    tools: countsOf(calls.by_tool),
    "refused by": countsOf(calls.refused_by),
    tokens: calls.tokens,
    "cost, USD": calls.cost_usd,
    "calls without a price": calls.unpriced,
  });

const coverageOf = ({ coverage: { texts, chars, unscanned } }: Evidence): string[] => [
  ...facts({ texts, characters: chars }),
  ...table(
    Object.entries(unscanned),
    [
      { name: "Not scanned, by reason", cell: ([reason]) => reason },
      { name: "Parts", cell: ([, count]) => count },
    ],
    "Everything that was passed on was scanned.",
  ),
];

const logOf = ({ log: { verified, trees }, hub }: Evidence): string[] => [
  text(
    verified.ok
      ? `Verified when this report was made: ${verified.records} records, no gaps, no faults.`
      : `Broken when this report was made: ${verified.faults.join("; ")}.`,
  ),
  ...(hub.key === null ? [] : [`<p>Public key: <code>${escaped(hub.key)}</code></p>`]),
  ...trees.map(({ origin, size, checkpoint }) =>
    [`<p>${escaped(origin)}: ${size} records under this checkpoint.</p>`, `<pre>${escaped(checkpoint)}</pre>`].join(
      "\n",
    ),
  ),
];

const REVIEWS: readonly Column<Evidence["reviews"][number]>[] = [
  { name: "Review", cell: ({ number }) => number },
  { name: "Status", cell: ({ status }) => status },
  {
    name: "Submitted",
    cell: ({ submitted_at, submitted_by }) => submitted_at && `${submitted_at} ${submitted_by ?? ""}`,
  },
  {
    name: "Decisions",
    cell: ({ decisions }) => decisions.map(({ decision, by, at }) => `${decision} ${by ?? "–"} ${at}`).join("; "),
  },
];

const PROFILES: readonly Column<Evidence["profiles"][number]>[] = [
  { name: "Version", cell: ({ version }) => version },
  { name: "In force from", cell: ({ in_force_from }) => in_force_from },
  { name: "Approved by", cell: ({ approved_by }) => approved_by.map((by) => by ?? "–").join(", ") },
  { name: "Changed", cell: ({ changed }) => changed.join(", ") },
];

const FINDINGS: readonly Column<Evidence["findings"][number]>[] = [
  { name: "Type", cell: ({ type }) => type },
  { name: "Count", cell: ({ count }) => count },
  { name: "Actions", cell: ({ by_action }) => countsOf(by_action) },
  { name: "OWASP, MITRE ATLAS", cell: ({ taxonomy }) => taxonomy.map(({ id, name }) => `${id} ${name}`).join("; ") },
];

const RESTRICTIONS: readonly Column<Evidence["restrictions"][number]>[] = [
  { name: "Kind", cell: ({ kind }) => kind },
  { name: "Set by", cell: ({ set_by, source }) => set_by ?? source },
  { name: "Reason", cell: ({ reason }) => reason },
  { name: "From", cell: ({ starts_at }) => starts_at },
  { name: "Until", cell: ({ ended_at }) => ended_at },
  { name: "Confirmed", cell: ({ receipts }) => receiptsOf(receipts) },
];

const KILL_SWITCHES: readonly Column<Evidence["kill_switches"][number]>[] = [
  { name: "Level", cell: ({ level }) => level },
  { name: "Set by", cell: ({ set_by }) => set_by },
  { name: "Reason", cell: ({ reason }) => reason },
  { name: "From", cell: ({ set_at }) => set_at },
  { name: "Until", cell: ({ lifted_at }) => lifted_at },
  { name: "Confirmed", cell: ({ receipts }) => receiptsOf(receipts) },
];

const CHANGES: readonly Column<Evidence["changes"]["shown"][number]>[] = [
  { name: "Time", cell: ({ at }) => at },
  { name: "Change", cell: ({ kind }) => kind },
  { name: "By", cell: ({ by }) => by },
];

const CITED: readonly Column<Evidence["cited"]["shown"][number]>[] = [
  { name: "Time", cell: ({ at }) => at },
  { name: "Call", cell: ({ call_id }) => call_id },
  { name: "Decision", cell: ({ decision }) => decision },
  { name: "Findings", cell: ({ types }) => types.join(", ") },
  { name: "Proof", cell: ({ no_proof }) => no_proof ?? "in the JSON file" },
];

const DUTIES: readonly Column<Evidence["duties"][number]>[] = [
  { name: "Duty", cell: ({ duty }) => duty },
  { name: "Asks that", cell: ({ asks }) => asks },
  { name: "Evidence in", cell: ({ evidence_in }) => evidence_in },
];

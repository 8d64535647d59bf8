/** Terms that people no longer read in the product, and what is written instead. docs/glossary.md has the terms in use. */

export type Retired = { readonly term: RegExp; readonly instead: string };

export const RETIRED: readonly Retired[] = [
  { term: /\bwhoever\b/gi, instead: "name the role or person" },
  { term: /\bfor a while\b/gi, instead: "temporarily, or the duration" },
  { term: /\b(?:is|are|stays?|goes) on record\b/gi, instead: "recorded in the audit log" },
  { term: /\bfor the record\b/gi, instead: "recorded in the audit log" },
  { term: /\bheld to\b/gi, instead: "effective policy, profile" },
  { term: /\bwhat held for\b/gi, instead: "effective policy" },
  { term: /\bkept texts?\b/gi, instead: "stored content" },
  { term: /\bsealed anew\b/gi, instead: "re-encrypted" },
  { term: /\bguard fits\b/gi, instead: "block accuracy" },
  { term: /\bkeeps to its profile\b/gi, instead: "profile compliance" },
  { term: /\bhow (?:bad|sure|soon|far) (?:it|you|the)\b/gi, instead: "severity, confidence, sensitivity, autonomy" },
  { term: /\bthe most (?:calls|tokens)\b/gi, instead: "requests per minute, max output tokens" },
  { term: /\btakes? (?:it|them) up\b/gi, instead: "start review" },
  { term: /\bas usual\b/gi, instead: "default" },
  { term: /\bunless said\b/gi, instead: "default" },
  { term: /\bif not said\b/gi, instead: "default" },
  { term: /\breally used\b/gi, instead: "observed" },
  { term: /\bjudged again\b/gi, instead: "re-evaluated" },
  { term: /\bstands? in (?:the|its) way\b/gi, instead: "blocking requirements" },
  { term: /\bnobody has asked for it\b/gi, instead: "approval not requested" },
  { term: /\btaken? (?:it|the rule|a rule) back\b/gi, instead: "roll back" },
  { term: /\btake(?:n)? the approval back\b/gi, instead: "withdraw approval" },
  { term: /\bstop(?:ped)? at once\b/gi, instead: "activate kill switch" },
  { term: /\blet (?:it|them) go on\b/gi, instead: "deactivate, resume" },
  { term: /\bnothing waits for\b/gi, instead: "all caught up" },
  { term: /\byour turn\b/gi, instead: "pending approvals" },
  { term: /\bsays? back what it was told\b/gi, instead: "repeats its input" },
  { term: /\blet (?:in|it in) by\b/gi, instead: "authorized by" },
  { term: /\bprograms? you let in\b/gi, instead: "connected apps" },
  { term: /\bshut(?:s)? (?:a|the) \w+ out\b/gi, instead: "disable, revoke" },
  { term: /\bhow an agent fares\b|\bagent fare\b/gi, instead: "agent health" },
  { term: /\banswer(?:s)? for (?:its|the) drift\b/gi, instead: "acknowledge drift" },
  { term: /\bis whole\b|\bchain whole\b/gi, instead: "intact" },
];

/** What people read in a source file: string literals, templates (`…` for their values) and JSX text. */
export const textsOf = (path: string, text: string): string[] => {
  const loader = path.endsWith("x") ? "tsx" : "ts";
  const code = new Bun.Transpiler({ loader, target: "bun", trimUnusedImports: true }).transformSync(text);
  return literalsIn(code);
};

const LITERAL = /"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*'|`(?:\\.|[^`\\])*`/g;

/** Of code without comments: what the transpiler leaves. */
const literalsIn = (code: string): string[] =>
  [...code.matchAll(LITERAL)]
    .map(([literal]) => literal.slice(1, -1).replaceAll(/\$\{[^}]*\}/g, "…"))
    .filter((literal) => /[a-z]/i.test(literal));

/** Every retired term in the texts, with the place, the replacement and the text. */
export const faultsIn = (place: string, texts: readonly string[]): string[] =>
  texts.flatMap((text) =>
    RETIRED.flatMap(({ term, instead }) =>
      [...text.matchAll(term)].map(({ 0: found, index }) => {
        const line = text.slice(text.lastIndexOf("\n", index) + 1).split("\n")[0] ?? "";
        return `${place}: “${found}”: ${instead}. In: ${line.trim().slice(0, 120)}`;
      }),
    ),
  );

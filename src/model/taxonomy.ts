/*
 * What the scanner's and policy's findings are called elsewhere: OWASP's Top 10 for LLM applications (2025) and for
 * agentic applications (2026), and MITRE ATLAS. https://genai.owasp.org https://atlas.mitre.org
 */

export const TAXONOMY_NAMES = {
  LLM01: "Prompt Injection",
  LLM02: "Sensitive Information Disclosure",
  LLM03: "Supply Chain",
  LLM05: "Improper Output Handling",
  LLM06: "Excessive Agency",
  LLM07: "System Prompt Leakage",
  LLM10: "Unbounded Consumption",
  ASI01: "Agent Goal Hijack",
  ASI02: "Tool Misuse and Exploitation",
  ASI03: "Identity and Privilege Abuse",
  ASI04: "Agentic Supply Chain Vulnerabilities",
  ASI09: "Human-Agent Trust Exploitation",
  "AML.T0029": "Denial of AI Service",
  "AML.T0034": "Cost Harvesting",
  "AML.T0051": "LLM Prompt Injection",
  "AML.T0051.000": "LLM Prompt Injection: Direct",
  "AML.T0051.001": "LLM Prompt Injection: Indirect",
  "AML.T0053": "AI Agent Tool Invocation",
  "AML.T0054": "LLM Jailbreak",
  "AML.T0055": "Unsecured Credentials",
  "AML.T0057": "LLM Data Leakage",
  "AML.T0068": "LLM Prompt Obfuscation",
  "AML.T0077": "LLM Response Rendering",
  "AML.T0086": "Exfiltration via AI Agent Tool Invocation",
} as const;
export type TaxonomyId = keyof typeof TAXONOMY_NAMES;

/** By flag type or what it begins with; the longest counts. */
const OF_TYPE: Readonly<Record<string, readonly TaxonomyId[]>> = {
  pii: ["LLM02", "AML.T0057"],
  secret: ["LLM02", "ASI03", "AML.T0055", "AML.T0057"],
  injection: ["LLM01", "ASI01", "AML.T0051"],
  "injection.direct": ["LLM01", "ASI01", "AML.T0051.000", "AML.T0054"],
  "injection.indirect": ["LLM01", "ASI01", "AML.T0051.001"],
  "injection.addressed": ["LLM01", "ASI01", "AML.T0051.001"],
  "injection.evasion": ["LLM01", "ASI01", "AML.T0068"],
  egress: ["LLM02", "LLM05", "AML.T0077"],
  tool: ["LLM06", "ASI02", "AML.T0053"],
  "tool.tainted_argument": ["LLM01", "LLM06", "ASI01", "ASI02", "AML.T0051.001", "AML.T0086"],
  "tool.definition": ["LLM03", "ASI04", "AML.T0051.001"],
  policy: ["LLM06", "ASI02"],
  "policy.model": ["LLM03", "ASI04"],
  "policy.limit": ["LLM10", "AML.T0029", "AML.T0034"],
  "policy.human_approval": ["LLM06", "ASI09"],
  // Rules of the operator's own: what they find only the operator knows.
  custom: [],
};

/** Empty for types of the operator's own rules. */
export const taxonomyOf = (type: string): readonly TaxonomyId[] => {
  const parts = type.split(".");
  for (let length = parts.length; length > 0; length -= 1) {
    const known = OF_TYPE[parts.slice(0, length).join(".")];
    if (known) return known;
  }
  return [];
};

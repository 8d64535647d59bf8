import type { PolicySource } from "./policy";

/**
 * The baseline. Secrets go no further on the way in and are taken out of what comes back; numbers that identify a
 * person or an account are replaced by labels; other personal data is noted; suspected injections block where they
 * are near certain and somebody else may have written the text.
 */
export const DEFAULT_POLICY: PolicySource = {
  mode: "enforce",
  hold_back: 256,
  max_text: 1_000_000,
  rules: [
    // From 0.7: keys of test modes score below, and are only flagged; documented examples are below both lines.
    { type: "secret", thresholds: { flag: 0.3, block: 0.7 } },
    { type: "secret", origins: ["output", "tool_result"], thresholds: { flag: 0.3, redact: 0.7 } },
    { type: "secret.generic", thresholds: { flag: 0.5, block: 0.7 } },
    { type: "secret.generic", origins: ["output", "tool_result"], thresholds: { flag: 0.5, redact: 0.7 } },

    { type: "pii", thresholds: { flag: 0.3 } },
    // Every fourth text names a person or a place: only where a policy or a profile asks for it (decision 0046).
    { type: "pii.person", thresholds: {} },
    { type: "pii.location", thresholds: {} },
    { type: "pii.credit_card", thresholds: { flag: 0.3, redact: 0.5 } },
    { type: "pii.iban", thresholds: { flag: 0.3, redact: 0.5 } },
    { type: "pii.us_ssn", thresholds: { flag: 0.3, redact: 0.5 } },
    // A cue, and check digits or a country's form: digits of a form without either are only flagged.
    { type: "pii.national_id", thresholds: { flag: 0.3, redact: 0.5 } },
    { type: "pii.tax_id", thresholds: { flag: 0.3, redact: 0.5 } },
    { type: "pii.bank_account", thresholds: { flag: 0.3, redact: 0.5 } },

    { type: "injection", thresholds: { flag: 0.5 } },
    { type: "injection", origins: ["user"], thresholds: { flag: 0.5, block: 0.85 } },
    { type: "injection", origins: ["tool_result"], thresholds: { flag: 0.4, block: 0.8 } },

    { type: "tool", thresholds: { flag: 0.5 } },
    // A judgement on all the words of a text never blocks alone. With a rule's finding it blocks only who wrote the
    // text; documents may quote or resemble an attack.
    { type: "injection.classifier", thresholds: { flag: 0.6 } },
    { type: "injection.classifier.with_rule", origins: ["user"], thresholds: { flag: 0.6, block: 0.85 } },
  ],
};

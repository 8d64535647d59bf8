import type { PolicySource } from "./policy";

/**
 * The first policy. Secrets go no further on the way in and are taken out on the way out; personal
 * data is replaced by labels; suspected injections block only where they are near certain.
 */
export const DEFAULT_POLICY: PolicySource = {
  mode: "enforce",
  hold_back: 256,
  max_text: 1_000_000,
  rules: [
    // From 0.7: documented examples, placeholders and test keys score below, and are only flagged.
    { type: "secret", thresholds: { flag: 0.3, block: 0.7 } },
    { type: "secret", origins: ["output"], thresholds: { flag: 0.3, redact: 0.7 } },
    { type: "secret.generic", thresholds: { flag: 0.5, block: 0.9 } },
    { type: "secret.generic", origins: ["output"], thresholds: { flag: 0.5, redact: 0.9 } },

    { type: "pii", thresholds: { flag: 0.3, redact: 0.5 } },
    { type: "pii", origins: ["tool_definition"], thresholds: { flag: 0.3 } },
    { type: "pii.ip", thresholds: { flag: 0.3 } },

    { type: "injection", origins: ["user"], thresholds: { flag: 0.5, block: 0.85 } },
    { type: "injection", origins: ["tool_result"], thresholds: { flag: 0.4, block: 0.8 } },
    { type: "injection", origins: ["tool_args"], thresholds: { flag: 0.5 } },
    { type: "injection", origins: ["tool_definition"], thresholds: { flag: 0.5, block: 0.9 } },
    { type: "injection", origins: ["assistant", "output"], thresholds: { flag: 0.5 } },
  ],
};

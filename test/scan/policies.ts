import { policyOf } from "./samples";

/**
 * For tests of what a redaction does, whatever the baseline says today: secrets and all personal data are replaced
 * on the way out, addresses of machines and injections are only flagged.
 */
export const REDACTING = policyOf({
  hold_back: 256,
  rules: [
    { type: "secret", thresholds: { flag: 0.3, block: 0.7 } },
    { type: "secret", origins: ["output", "tool_result"], thresholds: { flag: 0.3, redact: 0.7 } },
    { type: "secret.generic", thresholds: { flag: 0.5, block: 0.9 } },
    { type: "secret.generic", origins: ["output", "tool_result"], thresholds: { flag: 0.5, redact: 0.9 } },
    { type: "pii", thresholds: { flag: 0.3, redact: 0.5 } },
    { type: "pii.ip", thresholds: { flag: 0.3 } },
    { type: "injection", thresholds: { flag: 0.5 } },
  ],
});

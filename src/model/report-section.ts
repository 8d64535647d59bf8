/**
 * Which of Agent Review's nine sections a report is about: that of its most severe flag type. In order of severity:
 * what leaks cannot be taken back, and who is spoken to by an attacker does the rest.
 */
const SECTION_OF: readonly (readonly [prefix: string, section: string])[] = [
  ["secret", "secrets_security"],
  ["egress", "secrets_security"],
  ["injection", "input_trust"],
  ["tool", "tools"],
  ["pii", "data_privacy"],
  ["policy.model", "models"],
  ["policy.limit", "oversight"],
  ["policy.human_approval", "oversight"],
];

/** All sections a report can be of. */
export const REPORT_SECTIONS: readonly string[] = [
  ...new Set([...SECTION_OF.map(([, section]) => section), "monitoring"]),
];

/** Where everything else belongs: somebody has to look. */
const REST = "monitoring";

export const sectionOf = (flagTypes: readonly string[]): string => {
  const isOf = (prefix: string) => flagTypes.some((type) => type === prefix || type.startsWith(`${prefix}.`));
  return SECTION_OF.find(([prefix]) => isOf(prefix))?.[1] ?? REST;
};

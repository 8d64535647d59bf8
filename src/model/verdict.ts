/** Coding agents whose hooks ask the hub. */
export const HARNESS_NAMES = ["claude-code", "codex", "cursor", "gemini", "copilot"] as const;

export type HarnessName = (typeof HARNESS_NAMES)[number];

/** Systems that ask the hub for verdicts about what passes elsewhere. */
export type VerdictSystem = HarnessName | "litellm";

const PREFIX = "hook.";

/** Kinds of those calls in the audit log: `hook.litellm`. */
export type VerdictKind = `${typeof PREFIX}${VerdictSystem}`;
export const verdictKindOf = (system: VerdictSystem): VerdictKind => `${PREFIX}${system}`;

export const isVerdict = (kind: string): boolean => kind.startsWith(PREFIX);

/** Coding agents whose hooks ask the hub. */
export const HARNESS_NAMES = ["claude-code", "codex", "cursor", "gemini", "copilot"] as const;

export type HarnessName = (typeof HARNESS_NAMES)[number];

/** Systems that ask for many people at once, and are set up by name: see `hook-source.ts`. */
export const SOURCE_KINDS = ["anthropic", "cursor", "copilot-studio", "litellm"] as const;
export type SourceKind = (typeof SOURCE_KINDS)[number];

/** Systems that ask the hub for verdicts about what passes elsewhere. */
export type VerdictSystem = HarnessName | SourceKind;

const PREFIX = "hook.";

/** Kinds of those calls in the audit log: `hook.litellm`. */
export type VerdictKind = `${typeof PREFIX}${VerdictSystem}`;
export const verdictKindOf = (system: VerdictSystem): VerdictKind => `${PREFIX}${system}`;

export const isVerdict = (kind: string): boolean => kind.startsWith(PREFIX);

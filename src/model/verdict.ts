/**
 * Systems that ask the hub for verdicts about what passes elsewhere, and the kinds of those calls in the audit log:
 * `hook.litellm`.
 */
export const VERDICT_SYSTEMS = ["litellm", "claude-code", "codex", "cursor", "gemini", "copilot"] as const;
export type VerdictSystem = (typeof VERDICT_SYSTEMS)[number];

const PREFIX = "hook.";

export type VerdictKind = `${typeof PREFIX}${VerdictSystem}`;
export const verdictKindOf = (system: VerdictSystem): VerdictKind => `${PREFIX}${system}`;

export const isVerdict = (kind: string): boolean => kind.startsWith(PREFIX);

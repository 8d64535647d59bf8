import { CLAUDE_CODE } from "./claude-code";
import { CODEX } from "./codex";
import { COPILOT } from "./copilot";
import { CURSOR } from "./cursor";
import { GEMINI } from "./gemini";
import type { Harness } from "./harness";

/** Coding agents whose hooks are answered. */
export const HARNESSES: readonly Harness[] = [CLAUDE_CODE, CODEX, CURSOR, GEMINI, COPILOT];

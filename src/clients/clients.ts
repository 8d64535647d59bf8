import { CLAUDE_CODE } from "./claude-code";
import type { Client } from "./client";
import { CODEX } from "./codex";
import { CONTINUE } from "./continue";
import { CURSOR } from "./cursor";
import { OPENAI } from "./openai";
import { OPENCODE } from "./opencode";
import { VSCODE } from "./vscode";
import { ZED } from "./zed";

/** Every client that `connect` knows. */
export const CONNECTED: readonly Client[] = [CLAUDE_CODE, CODEX, CURSOR, VSCODE, OPENCODE, ZED, CONTINUE, OPENAI];

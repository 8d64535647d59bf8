import { expect } from "bun:test";
import { command } from "./program.ts";

const PATIENCE_MS = 20_000;

/** `audit tail -f` in a process of its own, and the lines it has written. */
export const followedAudit = (
  dataDir: string,
  flags: readonly string[],
  env: Readonly<Record<string, string>> = {},
) => {
  const child = Bun.spawn([...command(), "audit", "tail", "-f", ...flags, "--data-dir", dataDir], {
    env: { PATH: process.env["PATH"] ?? "", ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const lines: string[] = [];
  const ended = (async () => {
    let rest = "";
    for await (const text of child.stdout.pipeThrough(new TextDecoderStream())) {
      const parts = (rest + text).split("\n");
      rest = parts.pop() ?? "";
      lines.push(...parts);
    }
  })();
  const until = async (isThere: () => boolean): Promise<void> => {
    for (let waited = 0; !isThere() && waited < PATIENCE_MS; waited += 50) await Bun.sleep(50);
    expect(isThere()).toBe(true);
  };
  return { child, lines, ended, until };
};

import { expect, test } from "bun:test";
import { chmod, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { stringify } from "smol-toml";
import { answers } from "#test/support/answers";
import { command } from "#test/support/program";
import { verifies } from "#test/support/verifies";

const ROOT = join(import.meta.dir, "../..");
const README = await Bun.file(join(ROOT, "README.md")).text();
const AGENTS = await Bun.file(join(ROOT, "docs/agents.md")).text();

/** The lines of the shell block that begins with this one, without those that serve or open an editor. */
const linesFrom = (text: string, first: string): string[] => {
  const block = [...text.matchAll(/^```sh\n([\s\S]*?)^```$/gm)].find(([, lines]) => lines?.startsWith(first))?.[1];
  const lines = (block ?? "").trim().split("\n");
  return lines.filter((line) => line.startsWith("guardhouse ") && !/^guardhouse serve\b/.test(line));
};

test("README: the first steps, and those of an agent from registration to profile, work as they are typed", async () => {
  verifies("cli.shown-commands");
  const folder = await mkdtemp(join(tmpdir(), "guardhouse-readme-"));
  try {
    const bin = join(folder, "bin");
    await mkdir(bin);
    const executable = command()
      .map((word) => `'${word}'`)
      .join(" ");
    await Bun.write(join(bin, "guardhouse"), `#!/bin/sh\nexec ${executable} "$@"\n`);
    await chmod(join(bin, "guardhouse"), 0o755);
    const env = { PATH: `${bin}:${process.env.PATH ?? ""}`, HOME: folder };
    const lines = [
      ...linesFrom(README, "guardhouse admin create"),
      ...linesFrom(AGENTS, "guardhouse user create rita"),
    ];
    expect(lines.length).toBe(10);
    for (const line of lines) {
      const child = Bun.spawn(["sh", "-c", line], { cwd: folder, env, stdout: "pipe", stderr: "pipe" });
      const stderr = await new Response(child.stderr).text();
      const code = await child.exited;
      expect({ line, code, fault: code === 0 ? "" : stderr }).toEqual({ line, code: 0, fault: "" });
      // In place of an editor: all that is asked for is answered.
      if (line.includes("> answers.toml")) {
        expect(await Bun.file(join(folder, "answers.toml")).text()).toContain("guardhouse agent submit");
        await Bun.write(
          join(folder, "answers.toml"),
          stringify(answers({ ownership: { sponsor: "sam@example.org" } })),
        );
      }
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});

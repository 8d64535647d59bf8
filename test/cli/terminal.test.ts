import { afterAll, beforeAll, expect, test } from "bun:test";
import fc from "fast-check";
import { paintFor } from "#cli/paint";
import { cutTo, tableText } from "#cli/table";
import { command } from "#test/support/program";
import { verifies } from "#test/support/verifies";
import { Workbench } from "./workbench";

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.create();
  await bench.json("user", "create", "eve@example.com", "--name", "Evelyn of the Northern Department of Fisheries");
});
afterAll(() => bench[Symbol.asyncDispose]());

type Options = { readonly columns?: number; readonly env?: Readonly<Record<string, string>> };

/** What a command writes to a terminal of its own. */
const onTerminal = async (args: readonly string[], { columns = 80, env = {} }: Options = {}): Promise<string> => {
  let written = "";
  const decoder = new TextDecoder();
  const child = Bun.spawn([...command(), ...args, "--data-dir", bench.dataDir], {
    env: { PATH: process.env["PATH"] ?? "", HOME: bench.home, TERM: "xterm-256color", ...env },
    terminal: {
      cols: columns,
      rows: 24,
      data: (_, bytes) => {
        written += decoder.decode(bytes, { stream: true });
      },
    },
  });
  expect(await child.exited).toBe(0);
  // The last of it comes after the process has ended.
  for (let length = -1; length !== written.length; await Bun.sleep(50)) length = written.length;
  return written.replaceAll("\r\n", "\n");
};

const widest = (text: string): number => Math.max(...text.split("\n").map((line) => Bun.stringWidth(line)));

test("a table fits the terminal; in a pipe it is whole", async () => {
  verifies("cli.terminal");
  const piped = await bench.run(["user", "list"]);
  expect(piped.stdout).toContain("Evelyn of the Northern Department of Fisheries");
  expect(piped.stdout).toStartWith("ID ");
  expect(piped.stdout).toContain("CREATED (UTC)");
  for (const columns of [60, 100, 120]) {
    const shown = await onTerminal(["user", "list"], { columns });
    expect(widest(shown)).toBeLessThanOrEqual(columns);
    expect(shown).toContain("…");
  }
  expect(widest(await onTerminal(["user", "list"], { columns: 200, env: { COLUMNS: "90" } }))).toBeLessThanOrEqual(90);
  expect(Bun.stripANSI(await onTerminal(["user", "list"], { columns: 200 }))).toBe(piped.stdout);
  expect((await bench.run(["user", "list"], { env: { COLUMNS: "40" } })).stdout).toBe(piped.stdout);
});

test("ids are cut last, and that is said", async () => {
  verifies("cli.terminal");
  const { stdout } = await bench.run(["user", "list", "--json"]);
  const id = String(Object(JSON.parse(stdout)[0]).id);
  expect(await onTerminal(["user", "list"], { columns: 110 })).toContain(id);
  const narrow = await onTerminal(["user", "list"], { columns: 60 });
  expect(narrow).not.toContain(id);
  expect(narrow).toContain("Ids are cut to the width of the terminal");
});

test("colours are for terminals, and not where they are not wanted", async () => {
  verifies("cli.terminal");
  const sequence = "\u001b[";
  expect(await onTerminal(["user", "list"])).toContain(sequence);
  expect(await onTerminal(["help"])).toContain(`${sequence}1m`);
  expect(await onTerminal(["user", "list"], { env: { NO_COLOR: "1" } })).not.toContain(sequence);
  expect(await onTerminal(["user", "list"], { env: { TERM: "dumb" } })).not.toContain(sequence);
  expect(await onTerminal(["user", "list", "--no-color"])).not.toContain(sequence);
  expect(await onTerminal(["user", "list"], { env: { NO_COLOR: "" } })).toContain(sequence);
  expect((await bench.run(["user", "list"])).stdout).not.toContain(sequence);
});

test("progress is shown on a terminal, and taken away again", async () => {
  verifies("cli.terminal");
  expect(await onTerminal(["audit", "verify"])).toMatch(/\r\u001b\[K.*\r\u001b\[K.*the audit log is intact/s);
  expect((await bench.run(["audit", "verify"])).stderr).toBe("");
});

const cell = fc.string({ unit: "grapheme", maxLength: 40 });
const plainly = paintFor(false);

test("a text that is cut is as wide as was asked for, and begins as it did", () => {
  verifies("cli.terminal");
  fc.assert(
    fc.property(cell, fc.integer({ min: 1, max: 50 }), (text, width) => {
      const cut = cutTo(text, width);
      expect(Bun.stringWidth(cut)).toBeLessThanOrEqual(width);
      if (cut !== text) expect(cut.endsWith("…") && text.startsWith(cut.slice(0, -1))).toBe(true);
    }),
  );
});

test("any table of six columns fits a terminal of 40, and nothing is cut that fits", () => {
  verifies("cli.terminal");
  const row = fc.array(fc.string({ maxLength: 60 }), { minLength: 6, maxLength: 6 });
  const headings = ["ID", "NAME", "OWNER", "STATE", "KIND", "AT (UTC)"];
  fc.assert(
    fc.property(fc.array(row, { maxLength: 5 }), fc.integer({ min: 40, max: 200 }), (rows, columns) => {
      const whole = tableText(headings, rows, { columns: null, paint: plainly });
      const fitting = tableText(headings, rows, { columns, paint: plainly });
      const lines = fitting.split("\n").filter((line) => !line.startsWith("Ids are cut"));
      expect(widest(lines.join("\n"))).toBeLessThanOrEqual(columns);
      if (widest(whole) <= columns) expect(fitting).toBe(whole);
    }),
  );
});

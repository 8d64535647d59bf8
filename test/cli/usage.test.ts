import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { resolve } from "node:path";
import { TOPICS, VERBS } from "#cli/catalogue";
import { EXAMPLES } from "#cli/examples";
import { verbOf } from "#cli/run";
import { command } from "#test/support/program";
import { verifies } from "#test/support/verifies";
import { type Result, Workbench } from "./workbench";

const isBinary = command().length === 1;

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.create();
});
afterAll(() => bench[Symbol.asyncDispose]());

const run = (...args: string[]): Promise<Result> => bench.run(args, { data: false });

/** What a shell hands to `guardhouse`; nothing is run, and what is piped or redirected is left out. */
const wordsOf = async (line: string): Promise<string[]> => {
  const typed = line.replace(/ [|<>] ?\S.*$/, "");
  const child = Bun.spawn(["sh", "-c", `set -f; printf '%s\\0' ${typed}`], { stdout: "pipe", env: {} });
  return (await new Response(child.stdout).text()).split("\0").slice(0, -1);
};

describe("help", () => {
  test("shows every verb of the published table", async () => {
    const { code, stdout } = await run("help");
    expect(code).toBe(0);
    const verbs = [
      ...[
        "serve",
        "demo",
        "doctor",
        "version",
        "admin create",
        "user create",
        "user list",
        "agent create",
        "agent list",
      ],
      ...[
        "token create",
        "token import",
        "token list",
        "token disable",
        "token enable",
        "token revoke",
        "token rotate",
      ],
      ...["session create", "session list", "session revoke"],
      ...["provider add", "provider list", "provider test", "provider remove", "scan"],
      ...["add", "list", "test", "approve", "assign", "unassign", "enable", "disable", "authorize", "remove"].map(
        (verb) => `tool-server ${verb}`,
      ),
      ...["audit tail", "audit verify", "audit export", "config show", "config check", "health"],
    ];
    for (const verb of verbs) expect(stdout).toMatch(new RegExp(`^  ${verb} `, "m"));
    expect((await run("--help")).stdout).toBe(stdout);
  });

  test("is grouped by topic, and shown when no verb is named", async () => {
    verifies("cli.help");
    const { stdout } = await run("help");
    for (const { title, verbs } of TOPICS) {
      const section = stdout.slice(stdout.indexOf(`\n${title}\n`)).split("\n\n")[0] ?? "";
      for (const { name, summary } of verbs)
        expect(section).toMatch(new RegExp(`^  ${name} +${RegExp.escape(summary)}$`, "m"));
    }
    for (const args of [[], ["-h"], ["--help"]])
      expect(await run(...args)).toMatchObject({ code: 0, stdout, stderr: "" });
    expect(JSON.parse((await run("--json")).stdout)).toEqual({ help: stdout.trimEnd() });
  });

  test("of a noun is shown when its verb is missing", async () => {
    verifies("cli.help");
    const { code, stdout, stderr } = await run("token");
    expect([code, stderr]).toEqual([0, ""]);
    expect(stdout).toContain("guardhouse token create --user EMAIL");
    for (const args of [
      ["token", "-h"],
      ["token", "--help"],
      ["help", "token"],
    ])
      expect((await run(...args)).stdout).toBe(stdout);
  });

  test("has examples for every verb, each of them a command line of ours", async () => {
    verifies("cli.help");
    expect(Object.keys(EXAMPLES).toSorted()).toEqual(VERBS.map(({ name }) => name).toSorted());
    for (const [name, lines] of Object.entries(EXAMPLES)) {
      expect((await run("help", ...name.split(" "))).stdout).toEndWith(
        `examples:\n${lines.map((line) => `  guardhouse ${line}\n`).join("")}`,
      );
      const verbs = await Promise.all(lines.map(async (line) => verbOf(await wordsOf(line))));
      expect(verbs).toEqual(lines.map(() => name));
    }
  });

  test("as a manual page is roff without a warning", async () => {
    verifies("cli.shells");
    const { code, stdout } = await run("help", "--man");
    expect(code).toBe(0);
    const readers = [
      ["man", "--warnings", "-E", "UTF-8", "-l", "-"],
      ["mandoc", "-T", "utf8", "-W", "error"],
    ].filter(([program = ""]) => Bun.which(program) !== null);
    for (const reader of readers) {
      const child = Bun.spawn(reader, { stdin: Buffer.from(stdout), stdout: "pipe", stderr: "pipe" });
      const [page, faults] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
      expect([await child.exited, faults]).toEqual([0, ""]);
      const text = page.replaceAll(/.\u0008|\u001b\[[0-9;]*m/g, "").replaceAll(/\s+/g, " ");
      for (const { name } of VERBS) expect(text).toContain(` ${name} `);
    }
    for (const { name } of VERBS) expect(stdout).toContain(`.SS "${name.replaceAll("-", "\\-")}"`);
  });

  test("of one verb shows its form and all its flags", async () => {
    const { code, stdout } = await run("token", "create", "--help");
    expect(code).toBe(0);
    expect(stdout).toContain("usage: guardhouse token create --user EMAIL");
    for (const flag of ["--agent", "--expires-in", "--data-dir", "--config", "--json"]) expect(stdout).toContain(flag);
    expect((await run("help", "token", "create")).stdout).toBe(stdout);
  });

  test("of a family shows its verbs", async () => {
    const { stdout } = await run("help", "audit");
    expect(stdout).toContain("guardhouse audit export --format ndjson|csv|ocsf");
  });

  test("of every verb ends well", async () => {
    const { stdout } = await run("help");
    const verbs = [...stdout.matchAll(/^ {2}([a-z-]+(?: [a-z]+)?) {2,}/gm)].map(([, verb = ""]) => verb.split(" "));
    expect(verbs.length).toBeGreaterThan(20);
    const results = await Promise.all(verbs.map((verb) => run(...verb, "--help")));
    expect(results.map(({ code }) => code)).toEqual(verbs.map(() => 0));
  });
});

describe("wrong usage ends with 2 and names the nearest", () => {
  test.each([
    [["tokn", "list"], "unknown verb tokn; did you mean token list?"],
    [["token", "lst"], "unknown verb token lst; did you mean token list?"],
    [["token", "xyz"], "unknown verb token xyz\n\nguardhouse token create --user EMAIL"],
    [["frobnicate"], "unknown verb frobnicate\nRun `guardhouse help`"],
    [["doctor", "--ouput"], "unknown flag --ouput\nRun"],
    [["audit", "tail", "--lnies", "3"], "unknown flag --lnies; did you mean --lines?"],
    [["--bogus"], "unknown flag --bogus"],
    [["completion", "tcsh"], 'completion: one of bash, zsh, fish, got "tcsh"'],
    [["token", "create", "--usr", "eve@x.org"], "unknown flag --usr; did you mean --user?"],
    [["token", "create"], "--user EMAIL is required"],
    [["token", "create", "--user"], "--user needs a value: --user EMAIL"],
    [["token", "create", "--user", "--json"], "--user needs a value"],
    [["token", "revoke"], "ID is missing"],
    [["token", "list", "all"], "unexpected argument: all"],
    [["version", "--json=yes"], "--json takes no value"],
    [["token", "create", "--user", "a@b.c", "--expires-in", "soon"], "--expires-in: expected a duration such as 90d"],
    [["audit", "export", "--format", "xml"], "--format: one of ndjson, csv, ocsf"],
    [["audit", "tail", "-n", "none"], "-n: a whole number from 1 to 10000"],
    [["scan", "--origin", "elsewhere"], "--origin: one of system, user"],
    [["user", "create", "eve@x.org", "--role", "king"], "--role: one of admin"],
    [["user", "create", "nobody"], "The email must be an e-mail address"],
    [["help", "tokens"], "unknown verb tokens; did you mean token"],
  ])("%j", async (args, message) => {
    const needsData = args[0] === "token" && args.includes("soon");
    if (needsData) await bench.run(["user", "create", "a@b.c"]);
    const { code, stdout, stderr } = needsData ? await bench.run(args) : await run(...args);
    expect(stderr).toContain(message);
    expect(stderr).not.toContain("    at ");
    expect(stdout).toBe("");
    expect(code).toBe(2);
  });
});

describe("version", () => {
  test("is that of the package, for people and for scripts", async () => {
    const packageJson: unknown = await Bun.file(resolve(import.meta.dir, "../../package.json")).json();
    const { version } = Object(packageJson);
    expect((await run("version")).stdout).toStartWith(`guardhouse ${version} (bun `);
    const { stdout } = await run("version", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ version, bun: expect.any(String) });
    for (const flag of ["--version", "-V"]) expect((await run(flag)).stdout).toBe((await run("version")).stdout);
  });
});

describe("configuration", () => {
  test("an unknown variable stops every verb that has settings with 3", async () => {
    const env = { GUARDHOUSE_DATADIR: "/tmp/x" };
    for (const args of [["user", "list"], ["config", "check"], ["serve"], ["doctor"]]) {
      const { code, stdout, stderr } = await bench.run(args, { env, data: false });
      expect(code).toBe(3);
      expect(stdout).toBe("");
      expect(stderr).toBe("guardhouse: GUARDHOUSE_DATADIR: unknown variable; did you mean GUARDHOUSE_DATA_DIR?\n");
    }
  });

  test("show tells values and where they come from, and masks secrets", async () => {
    const key = Buffer.alloc(32, 5).toString("base64");
    const env = { GUARDHOUSE_MASTER_KEY_FILE: await bench.file(key), GUARDHOUSE_UPSTREAM__RETRIES: "4" };
    const args = ["config", "show", "--origin", "--json", "--listen", "127.0.0.1:1"];
    const { stdout } = await bench.run(args, { env });
    expect(JSON.parse(stdout)).toMatchObject({
      listen: { value: "127.0.0.1:1", origin: "--listen" },
      "upstream.retries": { value: 4, origin: "GUARDHOUSE_UPSTREAM__RETRIES" },
      master_key: { value: "********", origin: "GUARDHOUSE_MASTER_KEY_FILE" },
      data_dir: { value: bench.dataDir, origin: "--data-dir" },
      durability: { value: "full", origin: "default" },
    });
    const human = await bench.run(["config", "show", "--origin", "--describe"], { env });
    expect(human.stdout).toMatch(/^upstream\.retries +4 +GUARDHOUSE_UPSTREAM__RETRIES +Retries after/m);
    const plain = await bench.run(["config", "show", "--json"], { env });
    expect(JSON.parse(plain.stdout)).toMatchObject({ "upstream.retries": 4, master_key: "********" });
    expect(bench.timesPrinted(key)).toBe(0);
  });

  test("check reads the file named by --config", async () => {
    const good = await bench.file('log_level = "warn"\n');
    expect((await run("config", "check", "--config", good)).code).toBe(0);
    const bad = await bench.file('log_levl = "warn"\n');
    const { code, stderr } = await run("config", "check", "--config", bad);
    expect(code).toBe(3);
    expect(stderr).toContain("log_levl: unknown key in");
    expect(stderr).toContain("did you mean log_level?");
  });

  // From source the runtime reads it before us; what is shipped is the binary.
  test.if(isBinary)("no .env of the working directory is read", async () => {
    await Bun.write(`${bench.home}/empty/.env`, "GUARDHOUSE_LISTEN=1.2.3.4:5\n");
    const { stdout } = await run("config", "show", "--json");
    expect(JSON.parse(stdout)).toMatchObject({ listen: "127.0.0.1:8787" });
  });
});

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { COMMON_FLAGS, valuesOf } from "#cli/arguments";
import { VERBS } from "#cli/catalogue";
import { KILL_LEVELS } from "#policy/restrictions/restriction";
import { verifies } from "#test/support/verifies";
import { Workbench } from "./workbench";

type Shell = {
  readonly name: string;
  /** Prints what completes the last of `$@`, a candidate a line; `$SCRIPT` is ours. */
  readonly program: readonly string[];
};

const SHELLS: readonly Shell[] = [
  {
    name: "bash",
    program: [
      ...["bash", "--norc", "-c"],
      `source "$SCRIPT"; COMP_WORDS=(guardhouse "$@"); COMP_CWORD=$#; _guardhouse; printf "%s\\n" "\${COMPREPLY[@]}"`,
      "bash",
    ],
  },
  {
    // The functions of its completion system write down what they are given.
    name: "zsh",
    program: [
      ...["zsh", "-f", "-c"],
      `compdef() { : }; compset() { PREFIX=\${PREFIX#*=} }
       compadd() { shift; for one in "$@"; do [[ $one == $PREFIX* ]] && print -r -- "$one"; done }
       _describe() { [[ $1 == -o ]] && shift; for one in "\${(@P)2}"; do [[ $one == $PREFIX* ]] && print -r -- "\${one%%:*}"; done }
       _files() { for one in $PREFIX*(N); do [[ $1 == -/ && ! -d $one ]] || print -r -- "$one"; done }
       source "$SCRIPT"; words=(guardhouse "$@"); CURRENT=$#words; PREFIX=$words[-1]; _guardhouse; true`,
      "zsh",
    ],
  },
  {
    name: "fish",
    program: [
      "fish",
      "--no-config",
      "-c",
      'source $SCRIPT; complete -C "guardhouse $argv" | string replace -r "\\t.*" ""',
      "--",
    ],
  },
];

let bench: Workbench;
beforeAll(async () => {
  bench = await Workbench.create();
  await Bun.write(join(bench.home, "folder/answers.toml"), "");
  await Bun.write(join(bench.home, "folder/inner/x"), "");
});
afterAll(() => bench[Symbol.asyncDispose]());

describe.each(SHELLS)("$name", ({ name, program }) => {
  const [shell = ""] = program;
  const isInstalled = Bun.which(shell) !== null;

  const completed = async (...words: string[]): Promise<string[]> => {
    const { stdout: script } = await bench.run(["completion", name], { data: false });
    const child = Bun.spawn([...program, ...words], {
      cwd: join(bench.home, "folder"),
      env: { PATH: process.env["PATH"] ?? "", HOME: bench.home, SCRIPT: await bench.file(script), LANG: "C.UTF-8" },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [found, faults] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    expect(faults).toBe("");
    return found
      .split("\n")
      .flatMap((line) => line.trim() || [])
      .toSorted();
  };

  test.if(isInstalled)("completes nouns, verbs, flags and the values of flags", async () => {
    verifies("cli.shells");
    const nouns = [...new Set(VERBS.map(({ name }) => name.split(" ")[0] ?? ""))].toSorted();
    expect(await completed("")).toEqual(nouns);
    expect(await completed("tok")).toEqual(["token"]);
    expect(await completed("token", "re")).toEqual(["revoke"]);
    expect(await completed("help", "token", "ro")).toEqual(["rotate"]);
    expect(await completed("--json", "--data-dir", "x", "token", "ro")).toEqual(["rotate"]);
    expect(await completed("token", "create", "--ex")).toEqual(["--expires-in"]);
    expect(await completed("killswitch", "on", "--level", "")).toEqual([...KILL_LEVELS].toSorted());
    expect(await completed("audit", "export", "--format", "n")).toEqual(["ndjson"]);
    expect(await completed("completion", "z")).toEqual(["zsh"]);
    expect(await completed("token", "create", "--user", "")).toEqual([]);
  });

  test.if(isInstalled)("completes files and folders where these stand", async () => {
    verifies("cli.shells");
    expect(await completed("agent", "submit", "x", "--answers", "ans")).toEqual(["answers.toml"]);
    expect((await completed("version", "--data-dir", "")).map((one) => one.replace(/\/$/, ""))).toEqual(["inner"]);
    expect(await completed("backup", "verify", "ans")).toEqual(["answers.toml"]);
  });

  test("has every verb, flag and value", async () => {
    verifies("cli.shells");
    const { code, stdout: script } = await bench.run(["completion", name], { data: false });
    expect(code).toBe(0);
    for (const { name: verb, flags = {} } of VERBS) {
      expect(script).toContain(verb);
      for (const [flag, about] of Object.entries({ ...flags, ...COMMON_FLAGS }))
        for (const word of [flag, ...valuesOf(about)]) expect(script).toContain(word);
    }
  });
});

test("bash reads --flag=value as the three words readline makes of it", async () => {
  verifies("cli.shells");
  const { stdout: script } = await bench.run(["completion", "bash"], { data: false });
  const typed = "COMP_WORDS=(guardhouse killswitch on --level = mo); COMP_CWORD=5";
  const child = Bun.spawn(
    ["bash", "--norc", "-c", `source "$SCRIPT"; ${typed}; _guardhouse; echo "\${COMPREPLY[@]}"`],
    {
      env: { SCRIPT: await bench.file(script) },
      stdout: "pipe",
    },
  );
  expect((await new Response(child.stdout).text()).trim()).toBe("model");
});

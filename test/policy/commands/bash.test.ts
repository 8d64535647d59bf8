import { describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { runSteps } from "#platform/slices";
import { rulingOnLine } from "#policy/commands/command-rules";
import { commandsOf } from "#policy/commands/programs";
import { verifies } from "#test/support/verifies";

const BASH = Bun.which("bash");
/** How many lines are tried; more by hand. */
const RUNS = Number(process.env["BASH_LINES"] ?? 300);

/** Pieces of which some lines are what bash runs. `mark` is the command that is looked for. */
const part = fc.oneof(
  { weight: 5, arbitrary: fc.constantFrom("mark", " mark ", "mark;", "mark\n", "ma'r'k", 'm"ar"k', "m\\ark") },
  {
    weight: 8,
    arbitrary: fc.constantFrom(
      ...["'", '"', "$(", ")", "`", "{ ", " }", "(", ";", "&&", "||", "|", "\n", " ", "\\", "$'", "&", "\t", "\\\n"],
      ...[
        "<<E\n",
        "<<'E'\n",
        "<<-E\n",
        "\nE\n",
        "E",
        "<<<",
        "if :;then ",
        "fi",
        ";fi",
        "else ",
        "case x in x) ",
        ";;",
        "esac",
      ],
      ...[
        "eval ",
        "echo ",
        ": ",
        "x=",
        "x=(",
        "[ ",
        " ]",
        "$((",
        "))",
        "((",
        "${x:-",
        "}",
        "for i in 1;do ",
        ";done",
        "#",
      ],
      ...[
        "time ",
        "! ",
        "[[ ",
        " ]]",
        "*",
        "?",
        "~",
        "f()",
        "function f ",
        "f",
        "command ",
        "builtin ",
        ">o ",
        "2>&1",
        "<(",
      ],
      ...[
        "{a,",
        "$x",
        '"$x"',
        "trap '",
        "' EXIT",
        "while :;do ",
        "break;",
        "do ",
        "done",
        "@",
        "[a]",
        '$"',
        "=",
        "<o ",
      ],
      ...["$[", "]", "'$(", ")'", "${a['", "']}", "${x:'", "x='a[$(mark)]';", "'a[$(mark)]'", "$((x))", " -eq 0 ]]"],
      ...["a[", "]=", "a[0]=", "{fd}>o ", "{fd}<", "2\\\n>o ", "x ", "let ", "read ", '{mark,"', '"}'],
    ),
  },
);
const line = fc.array(part, { minLength: 1, maxLength: 14 }).map((parts) => parts.join(""));

const RULES = { default: "allow", allow: [], ask: [], deny: ["mark *"], hosts: null, other_hosts: "deny" } as const;
const isDenied = (text: string): boolean => runSteps(rulingOnLine(RULES, commandsOf(text))).permission === "deny";

describe.skipIf(BASH === null)("what bash runs", () => {
  test("is found in the line, or the line is said to be unread", () => {
    verifies("local.commands");
    const folder = mkdtempSync(join(tmpdir(), "bash-lines-"));
    let [tried, ran] = [0, 0];
    fc.assert(
      fc.property(line, (text) => {
        tried += 1;
        // What one leaves running in the background is not the next one's.
        const marked = join(folder, `marked-${tried}`);
        const script = `mark() { command : > ${marked}; }\n${text}`;
        Bun.spawnSync([BASH ?? "", "--norc", "--noprofile", "-c", script], {
          ...{ cwd: folder, env: { PATH: "/nowhere" }, stdin: "ignore", stdout: "ignore", stderr: "ignore" },
          timeout: 2_000,
        });
        if (!existsSync(marked)) return;
        ran += 1;
        expect([text, isDenied(text)]).toEqual([text, true]);
      }),
      { numRuns: RUNS },
    );
    expect(ran).toBeGreaterThan(RUNS / 20);
    rmSync(folder, { recursive: true });
  }, 300_000);
});

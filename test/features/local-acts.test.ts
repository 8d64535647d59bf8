import { describe, expect, test } from "bun:test";
import { localActs } from "#features/verdicts/harnesses/local-acts";
import { runSteps } from "#platform/slices";
import type { CommandRules } from "#policy/commands/command-rules";
import type { ListRules } from "#policy/commands/permission";
import type { FileRules } from "#policy/files/file-rules";
import { localDenials, strictestDenial } from "#policy/profile/local-acts";
import { verifies } from "#test/support/verifies";

/** Written so that no home directory stands in this file. */
const HOME = ["", "home", "u"].join("/");

const LISTS: ListRules = { default: "allow", allow: [], ask: [], deny: [] };
const layer = "profile";
const commands: CommandRules = { ...LISTS, deny: ["rm *"], hosts: null, other_hosts: "deny" };
const files: FileRules = {
  read: { ...LISTS, deny: ["~/.ssh/**", "/etc/**", "**/.env"] },
  write: { ...LISTS, deny: ["/etc/**"] },
};
const RULES = { commands: [{ layer, value: commands }], files: [{ layer, value: files }] };

const permission = (tool: string, input: unknown) => {
  const acts = localActs(tool, input, "/repo");
  return (acts && strictestDenial(runSteps(localDenials(RULES, acts)))?.permission) ?? "allow";
};

describe("what a tool is given", () => {
  test.each([
    ["Bash", { command: "ls", cmd: "rm x" }],
    ["Bash", { command: "ls", script: ["rm", "x"] }],
    ["exec_command", { cmd: "ls", input: "rm x" }],
    ["exec_command", { cmd: "ls", chars: 1 }],
    ["exec_command", { cmd: "cat id_rsa", workdir: "/repo", cwd: `${HOME}/.ssh` }],
    ["exec_command", { cmd: "cat id_rsa > x", workdir: 1 }],
    ["Bash", {}],
    ["apply_patch", { command: "*** Update File: a", patch: "*** Update File: /etc/hosts" }],
    ["apply_patch", {}],
    ["Read", { file: "/etc/shadow" }],
    ["Read", { other: "/etc/shadow" }],
    ["Read", {}],
    ["Read", "/etc/shadow"],
    ["Read", { file_path: "a", path: "/etc/shadow" }],
    ["Write", {}],
    ["Glob", { pattern: `${HOME}/.ssh/*` }],
    ["Glob", { pattern: "~/.s*/id" }],
    ["Glob", { pattern: "~/.s[s]h/id" }],
    ["Glob", { pattern: "~/{.ssh,x}/id" }],
    ["Glob", { pattern: "{~/.ssh/id,x}" }],
    ["Glob", { pattern: "~/.s\\sh/*" }],
    ["Glob", { pattern: "@(~/.ssh/id)" }],
    ["Glob", { pattern: ".ssh/*", path: HOME }],
    ["Glob", { pattern: "**/.env" }],
    ["Glob", { pattern: ["a", 1] }],
    ["Grep", { pattern: "x", glob: "/etc/*" }],
    ["read_many_files", { include: [`${HOME}/.s*/id`] }],
    ["read_many_files", { paths: [`${HOME}/.s*/id`] }],
    ["read_many_files", { paths: ["/etc/shadow"] }],
    ["read_many_files", {}],
  ])("is judged whole, or as unread: %s %j", (tool, input) => {
    verifies("local.files");
    expect(permission(tool, input)).toBe("deny");
  });

  test.each([
    ["Bash", { command: "ls", description: "rm x" }],
    ["exec_command", { cmd: "ls", workdir: "/repo", cwd: null }],
    ["Read", { file_path: "a.ts", limit: 3 }],
    ["Glob", { pattern: "src/**/*.ts" }],
    ["Glob", { pattern: "src/{a,b}/*" }],
    ["Glob", { pattern: "*" }],
    ["Grep", { pattern: "/etc/.*" }],
    ["Grep", { pattern: "x", path: "src", glob: "*.{ts,js}" }],
    ["LS", {}],
    ["read_many_files", { paths: ["src/*.ts", "docs"] }],
    ["WebSearch", { query: "rm x" }],
  ])("passes where no rule speaks of it: %s %j", (tool, input) => {
    verifies("local.files");
    expect(permission(tool, input)).toBe("allow");
  });
});

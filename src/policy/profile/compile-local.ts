import { type ListRules, PERMISSIONS, type Permission } from "#policy/commands/permission";
import { ACCESSES, type Access } from "#policy/files/file-rules";
import type { Answers } from "#policy/review/questionnaire";
import { USUAL_HOOKS } from "./local-rules";
import type { ProfileBody } from "./profile";

type Local = Pick<ProfileBody, "commands" | "files" | "hooks">;

/** What the answers say of an agent's machine. Nothing where they say nothing, so that earlier profiles stay equal. */
export const localRulesOf = (tools: Answers["tools"]): Local => ({
  ...commandsOf(tools),
  ...filesOf(tools),
  ...hooksOf(tools),
});

const commandsOf = ({
  commands,
  other_commands,
  command_hosts,
  other_hosts,
}: Answers["tools"]): Pick<Local, "commands"> => {
  if ((commands ?? other_commands ?? command_hosts ?? other_hosts) === undefined) return {};
  const rules = (commands ?? []).map(ruleOf);
  // Hosts are held to a list where one is given, or where something is said of those outside it.
  const hosts = command_hosts === undefined && other_hosts === undefined ? null : (command_hosts ?? []);
  return {
    commands: {
      ...listsOf(rules, other_commands),
      hosts: hosts && inOrder(hosts.map((host) => host.toLowerCase())),
      other_hosts: other_hosts ?? "deny",
    },
  };
};

const filesOf = ({ files, other_reads, other_writes }: Answers["tools"]): Pick<Local, "files"> => {
  if ((files ?? other_reads ?? other_writes) === undefined) return {};
  const rules = (files ?? []).map(ruleOf).map(({ permission, pattern }) => ({ permission, ...accessOf(pattern) }));
  const lists = (access: Access, usual: Permission | undefined) =>
    listsOf(
      rules.filter((rule) => rule.access === null || rule.access === access),
      usual,
    );
  return { files: { read: lists("read", other_reads), write: lists("write", other_writes) } };
};

const hooksOf = ({ hook_redact, hook_offline_minutes }: Answers["tools"]): Pick<Local, "hooks"> => {
  const hooks = {
    redact: hook_redact ?? USUAL_HOOKS.redact,
    offline_minutes: hook_offline_minutes ?? USUAL_HOOKS.offline_minutes,
  };
  const isUsual = hooks.redact === USUAL_HOOKS.redact && hooks.offline_minutes === USUAL_HOOKS.offline_minutes;
  return isUsual ? {} : { hooks };
};

type Rule = { readonly permission: Permission; readonly pattern: string };

/** `deny git push *`. */
const ruleOf = (line: string): Rule => {
  const [, word = "", pattern = ""] = /^(\S+)\s+(.*)$/s.exec(line.trim()) ?? [];
  return { permission: PERMISSIONS.find((one) => one === word) ?? "deny", pattern: pattern.trim() };
};

/** `read ~/.ssh/**`; both where neither is said. */
const accessOf = (pattern: string): { readonly access: Access | null; readonly pattern: string } => {
  const access = ACCESSES.find((one) => pattern.startsWith(`${one} `));
  return access === undefined ? { access: null, pattern } : { access, pattern: pattern.slice(access.length).trim() };
};

/** Where something is allowed and nothing is said of the rest, a person is asked about it. */
const listsOf = (rules: readonly Rule[], usual: Permission | undefined): MutableLists => {
  const of = (permission: Permission) =>
    inOrder(rules.filter((rule) => rule.permission === permission).map(({ pattern }) => pattern));
  const allow = of("allow");
  return { default: usual ?? (allow.length > 0 ? "ask" : "allow"), allow, ask: of("ask"), deny: of("deny") };
};

type MutableLists = { [K in keyof ListRules]: K extends "default" ? Permission : string[] };

const inOrder = (items: readonly string[]): string[] => [...new Set(items)].sort();

import { isHostAllowed } from "#model/server-tools";
import { CommandPattern } from "./command-patterns";
import { hostsOf } from "./hosts";
import { isStricter, type ListRules, type Permission, type Ruling, stricterOf, strictestOf } from "./permission";
import type { ShellLine, SimpleCommand } from "./shell";

/** What commands an agent may run. */
export type CommandRules = ListRules & {
  /** Hosts that commands may name; null for all. */
  readonly hosts: readonly string[] | null;
  /** What holds for other hosts, and for those that cannot be told. */
  readonly other_hosts: Permission;
};

/** Assignments that change what later commands of a line do. */
const DECIDING =
  /^(?:PATH|IFS|ENV|SHELL\w*|LD_\w+|DYLD_\w+|BASH_\w+|PROMPT_COMMAND|GIT_\w+|NODE_\w+|PYTHON\w*|PERL\w*|RUBY\w*)\+?=/;

/**
 * The strictest that the rules say of any command of a line, step by step. What cannot be read may be anything, so that
 * the strictest of all rules holds.
 */
export const rulingOnLine = function* (rules: CommandRules, line: ShellLine): Generator<undefined, Ruling> {
  const { hosts } = rules;
  const [deny, ask, allow] = [rules.deny, rules.ask, rules.allow].map((list) =>
    list.map((pattern) => new CommandPattern(pattern)),
  );
  let ruling: Ruling = { permission: "allow", rule: "commands.default" };
  const take = (other: Ruling) => {
    ruling = stricterOf(ruling, other);
  };
  if (!line.isWhole) take({ permission: strictestFor(rules), rule: "commands.unread" });
  for (const command of line.commands) {
    if (ruling.permission === "deny") return ruling;
    if (isNothing(command)) continue;
    yield;
    if (hosts !== null) take(rulingOnHosts(command, hosts, rules.other_hosts));
    if (command.words.length > 0 && deny?.some((pattern) => pattern.mayBe(command))) {
      take({ permission: "deny", rule: "commands.deny" });
    } else if (command.words.length > 0 && ask?.some((pattern) => pattern.mayBe(command))) {
      take({ permission: "ask", rule: "commands.ask" });
    } else if (!allow?.some((pattern) => pattern.isFor(command))) {
      take({ permission: rules.default, rule: "commands.default" });
    }
  }
  return ruling;
};

/** It runs no program and decides about none. */
const isNothing = ({ words, assigned, redirects }: SimpleCommand): boolean =>
  words.length === 0 && redirects.length === 0 && !assigned.some((one) => DECIDING.test(one));

const rulingOnHosts = (command: SimpleCommand, allowed: readonly string[], others: Permission): Ruling => {
  const { hosts, isUnknown } = hostsOf(command);
  const isAllowed = !isUnknown && hosts.every((host) => isAllowedHost(allowed, host));
  return { permission: isAllowed ? "allow" : others, rule: "commands.hosts" };
};

/** A pattern without a port allows all of the host's. */
const isAllowedHost = (allowed: readonly string[], host: string): boolean =>
  isHostAllowed(allowed, host) || isHostAllowed(allowed, host.replace(/:\d+$/, ""));

const strictestFor = (rules: CommandRules): Permission => {
  const own = strictestOf(rules);
  return rules.hosts !== null && isStricter(rules.other_hosts, own) ? rules.other_hosts : own;
};

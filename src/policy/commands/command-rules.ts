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
  const patterns = new Patterns(rules);
  let ruling: Ruling = { permission: "allow", rule: "commands.default" };
  if (!line.isWhole) ruling = stricterOf(ruling, { permission: strictestFor(rules), rule: "commands.unread" });
  for (const command of line.commands) {
    if (ruling.permission === "deny") return ruling;
    if (isNothing(command)) continue;
    ruling = stricterOf(ruling, rulingOnHosts(command, rules));
    ruling = stricterOf(ruling, yield* patterns.rulingOn(command));
  }
  return ruling;
};

/** The patterns of the rules, ready to be held against commands. */
class Patterns {
  private readonly deny: readonly CommandPattern[];
  private readonly ask: readonly CommandPattern[];
  private readonly allow: readonly CommandPattern[];

  constructor(private readonly rules: CommandRules) {
    const [deny, ask, allow] = [rules.deny, rules.ask, rules.allow];
    const made = (list: readonly string[]) => list.map((pattern) => new CommandPattern(pattern));
    [this.deny, this.ask, this.allow] = [made(deny), made(ask), made(allow)];
  }

  *rulingOn(command: SimpleCommand): Generator<undefined, Ruling> {
    const isNamed = command.words.length > 0;
    for (const permission of ["deny", "ask"] as const) {
      if (isNamed && (yield* some(this[permission], (one) => one.mayBe(command)))) {
        return { permission, rule: `commands.${permission}` };
      }
    }
    const isAllowed = yield* some(this.allow, (one) => one.isFor(command));
    return { permission: isAllowed ? "allow" : this.rules.default, rule: "commands.default" };
  }
}

const some = function* <T>(list: readonly T[], is: (one: T) => boolean): Generator<undefined, boolean> {
  for (const one of list) {
    yield;
    if (is(one)) return true;
  }
  return false;
};

/** It runs no program and decides about none. */
const isNothing = ({ words, assigned, redirects }: SimpleCommand): boolean =>
  words.length === 0 && redirects.length === 0 && !assigned.some((one) => DECIDING.test(one));

const rulingOnHosts = (command: SimpleCommand, { hosts: allowed, other_hosts }: CommandRules): Ruling => {
  const rule = "commands.hosts";
  if (allowed === null) return { permission: "allow", rule };
  const { hosts, isUnknown } = hostsOf(command);
  const isAllowed = !isUnknown && hosts.every((host) => isAllowedHost(allowed, host));
  return { permission: isAllowed ? "allow" : other_hosts, rule };
};

/** A pattern without a port allows all of the host's. */
const isAllowedHost = (allowed: readonly string[], host: string): boolean =>
  isHostAllowed(allowed, host) || isHostAllowed(allowed, host.replace(/:\d+$/, ""));

const strictestFor = (rules: CommandRules): Permission => {
  const own = strictestOf(rules);
  return rules.hosts !== null && isStricter(rules.other_hosts, own) ? rules.other_hosts : own;
};

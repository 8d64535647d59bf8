import { REDACT_BECOMES } from "#model/hook-source";
import { SOURCE_KINDS } from "#model/verdict";
import type { CliFlags } from "./arguments";
import type { Verb } from "./verb";

const SECRET: CliFlags = {
  "secret-env": { value: "VAR", about: "variable with the secret; default: the hub makes one and shows it once" },
  "secret-file": { value: "FILE", about: "file with the secret; - reads stdin" },
};

export const HOOK_SOURCE_VERBS: readonly Verb[] = [
  {
    name: "hook source add",
    summary: "Let a system ask for verdicts about many people",
    operands: ["NAME"],
    form: "NAME --kind KIND [--user EMAIL] [--agent AGENT] [--application APP=AGENT]… [--redact deny|allow] [--budget-ms MS] [--secret-env VAR | --secret-file FILE]",
    flags: {
      kind: { value: "KIND", about: "system that asks", values: SOURCE_KINDS, required: true },
      user: {
        value: "EMAIL",
        about: "whose the calls of unknown people are; default: the agent's owner, else the first administrator",
      },
      agent: { value: "AGENT", about: "agent whose calls they are: id or name" },
      application: { value: "APP=AGENT", about: "another agent for one application of the source; may be repeated" },
      redact: {
        value: "deny|allow",
        about: "what becomes of a text that would be redacted",
        values: REDACT_BECOMES,
        fallback: "deny",
      },
      "budget-ms": { value: "MS", about: "milliseconds in which the system wants its answer; default: by kind" },
      ...SECRET,
    },
    load: () => import("./hook-sources").then((module) => module.addSource),
  },
  {
    name: "hook source list",
    summary: "List hook sources and what came from them",
    load: () => import("./hook-sources").then((module) => module.listSources),
  },
  {
    name: "hook source test",
    summary: "Send a signed test frame to the running hub, as the source would",
    operands: ["NAME"],
    load: () => import("./hook-sources").then((module) => module.testSource),
  },
  {
    name: "hook source rotate",
    summary: "Replace the secret; the old one is accepted during a grace period",
    operands: ["NAME"],
    flags: { grace: { value: "DURATION", about: "how long the old secret is accepted", fallback: "1h" }, ...SECRET },
    load: () => import("./hook-sources").then((module) => module.rotateSource),
  },
  {
    name: "hook source remove",
    summary: "Remove a hook source with its secrets",
    operands: ["NAME"],
    load: () => import("./hook-sources").then((module) => module.removeSource),
  },
];

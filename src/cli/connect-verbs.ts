import { CLIENT_IDS } from "#clients/ids";
import type { Verb } from "./verb";

export const CONNECT_VERBS: readonly Verb[] = [
  {
    name: "connect",
    ownSettings: true,
    summary: "Point a client at the hub in its own settings: models, tools, hooks",
    operands: [CLIENT_IDS.join("|")],
    form: "CLIENT [--model MODEL] [--print | --check | --managed [--out DIR] [--command PATH] | --undo [--force]]",
    flags: {
      model: { value: "MODEL", about: "model the client begins with; default: what it has" },
      print: { about: "show what would be written, and write nothing" },
      check: {
        about: "make a call and a blocked one, run the hook, list tools; exit code 1 when one is not as expected",
      },
      managed: { about: "show the files for a fleet, for claude-code, codex and cursor" },
      out: { value: "DIR", about: "write those files into a folder" },
      command: { value: "PATH", about: "where this program is on those machines; default: /usr/local/bin/guardhouse" },
      undo: { about: "make every file what it was" },
      force: { about: "undo although a file has been changed since: take out what was written, keep the rest" },
    },
    load: () => import("./connect").then((module) => module.connect),
  },
  {
    name: "run",
    ownSettings: true,
    summary: "Run a program in whose environment SDKs of OpenAI and Anthropic find the hub",
    operands: ["[-- CMD ARG…]"],
    form: "-- CMD [ARG…]",
    load: () => import("./run-program").then((module) => module.runProgram),
  },
];

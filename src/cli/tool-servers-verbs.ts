import type { Flag, Flags } from "./arguments";
import type { Verb } from "./verb";

const OWNER: Flag = { value: "EMAIL", about: "whose server it is; not needed where only one person has that slug" };
const TOOLS: Flag = { value: "A,B", about: "these tools only, by the server's names or the public ones" };
const ASSIGNING: Flags = {
  owner: OWNER,
  agent: { value: "AGENT", about: "an agent of the same owner: id or name", required: true },
};
const SLUG = ["SLUG"];
const ONE: Flags = { owner: OWNER };

const ADDING: Flags = {
  owner: { value: "EMAIL", about: "whose server it is", required: true },
  url: { value: "URL", about: "where it listens" },
  transport: { value: "streamable-http|sse", about: "how it is spoken to", fallback: "streamable-http" },
  stdio: { about: "start it as a program: everything behind -- is its command" },
  "header-file": { value: "FILE", about: "headers sent to it, a `Name: value` line each; - reads stdin" },
  "env-file": { value: "FILE", about: "variables of its process, a `NAME=value` line each; - reads stdin" },
  oauth: { about: "its owner signs in there: see tool-server authorize" },
  "oauth-client-id": { value: "ID", about: "client the hub is registered as; without --oauth for client credentials" },
  "oauth-client-secret-file": { value: "FILE", about: "that client's secret in a file; - reads stdin" },
  "oauth-scope": { value: "S", about: "scopes to ask for" },
  "call-timeout": { value: "DURATION", about: "longest silence of a call", fallback: "the hub's" },
  "list-timeout": { value: "DURATION", about: "longest wait for its list", fallback: "the hub's" },
};

export const TOOL_SERVER_VERBS: readonly Verb[] = [
  {
    name: "tool-server add",
    summary: "Connect an MCP server and look at its tools",
    operands: ["SLUG", "[-- CMD ARG…]"],
    form: "SLUG --owner EMAIL (--url URL [--transport T] [--header-file FILE | --oauth…] | --stdio [--env-file FILE] -- CMD ARG…)",
    flags: ADDING,
    load: () => import("./tool-servers").then((room) => room.addToolServer),
  },
  {
    name: "tool-server list",
    summary: "List tool servers and their tools, by what is known of them",
    flags: { owner: { value: "EMAIL", about: "only this person's" } },
    load: () => import("./tool-servers").then((room) => room.listToolServers),
  },
  {
    name: "tool-server test",
    summary: "Ask a tool server for its tools now",
    operands: SLUG,
    flags: ONE,
    load: () => import("./tool-servers").then((room) => room.testToolServer),
  },
  {
    name: "tool-server approve",
    summary: "Approve what its tools say now, and show what changed",
    operands: SLUG,
    flags: { owner: OWNER, tools: TOOLS },
    load: () => import("./tool-servers-approve").then((room) => room.approveTools),
  },
  {
    name: "tool-server assign",
    summary: "Say which of its tools an agent may use",
    operands: SLUG,
    flags: { ...ASSIGNING, tools: { ...TOOLS, fallback: "all" } },
    load: () => import("./tool-servers-assign").then((room) => room.assignTools),
  },
  {
    name: "tool-server unassign",
    summary: "Take its tools from an agent",
    operands: SLUG,
    flags: ASSIGNING,
    load: () => import("./tool-servers-assign").then((room) => room.unassignTools),
  },
  {
    name: "tool-server enable",
    summary: "List and call its tools again",
    operands: SLUG,
    flags: ONE,
    load: () => import("./tool-servers").then((room) => room.enableToolServer),
  },
  {
    name: "tool-server disable",
    summary: "Hide its tools from every caller until it is enabled again",
    operands: SLUG,
    flags: ONE,
    load: () => import("./tool-servers").then((room) => room.disableToolServer),
  },
  {
    name: "tool-server authorize",
    summary: "Show where its owner signs in, for one added with --oauth",
    operands: SLUG,
    flags: ONE,
    load: () => import("./tool-servers").then((room) => room.authorizeToolServer),
  },
  {
    name: "tool-server remove",
    summary: "Remove a tool server, its approvals and its credentials",
    operands: SLUG,
    flags: ONE,
    load: () => import("./tool-servers").then((room) => room.removeToolServer),
  },
];

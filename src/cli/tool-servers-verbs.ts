import { PROPOSAL_STATES } from "#model/tools/proposal";
import type { CliFlag, CliFlags } from "./arguments";
import type { Verb } from "./verb";

const OWNER: CliFlag = { value: "EMAIL", about: "owner of the server; optional when the slug is unique" };
const TOOLS: CliFlag = { value: "A,B", about: "only these tools, by server name or public name" };
const ASSIGNING: CliFlags = {
  owner: OWNER,
  agent: { value: "AGENT", about: "agent of the same owner: id or name", required: true },
};
const SLUG = ["SLUG"];
const ONE: CliFlags = { owner: OWNER };

const ADDING: CliFlags = {
  owner: { value: "EMAIL", about: "owner of the server", required: true },
  url: { value: "URL", about: "URL of the server" },
  transport: { value: "streamable-http|sse", about: "transport", fallback: "streamable-http" },
  stdio: { about: "run the server as a local process: the command follows --" },
  "header-file": { value: "FILE", about: "headers sent to the server, one `Name: value` a line; - reads stdin" },
  "env-file": { value: "FILE", about: "environment of the process, one `NAME=value` a line; - reads stdin" },
  oauth: { about: "the owner signs in at the server: see tool-server authorize" },
  "oauth-client-id": { value: "ID", about: "OAuth client id of the hub; without --oauth for client credentials" },
  "oauth-client-secret-file": { value: "FILE", about: "OAuth client secret in a file; - reads stdin" },
  "oauth-scope": { value: "S", about: "OAuth scopes to request" },
  "call-timeout": { value: "DURATION", about: "idle timeout of a tool call", fallback: "the hub's setting" },
  "list-timeout": { value: "DURATION", about: "timeout of listing tools", fallback: "the hub's setting" },
  protocol: {
    value: "VERSION",
    about: "the only MCP version to speak, e.g. 2025-11-25",
    fallback: "what both sides know",
  },
  "elicitation-hosts": { value: "A,B", about: "hosts where the server may ask users to open a page, beside its own" },
};

export const TOOL_SERVER_VERBS: readonly Verb[] = [
  {
    name: "tool-server add",
    summary: "Connect an MCP server and list its tools",
    operands: ["SLUG", "[-- CMD ARG…]"],
    form: "SLUG --owner EMAIL (--url URL [--transport T] [--header-file FILE | --oauth…] | --stdio [--env-file FILE] -- CMD ARG…) [--protocol VERSION] [--elicitation-hosts A,B]",
    flags: ADDING,
    load: () => import("./tool-servers").then((module) => module.addToolServer),
  },
  {
    name: "tool-server list",
    summary: "List tool servers and the approval status of their tools",
    flags: { owner: { value: "EMAIL", about: "filter by owner" } },
    load: () => import("./tool-servers").then((module) => module.listToolServers),
  },
  {
    name: "tool-server test",
    summary: "Test a tool server by listing its tools",
    operands: SLUG,
    flags: ONE,
    load: () => import("./tool-servers").then((module) => module.testToolServer),
  },
  {
    name: "tool-server approve",
    summary: "Approve the current tool definitions and show what changed",
    operands: SLUG,
    flags: { owner: OWNER, tools: TOOLS },
    load: () => import("./tool-servers-tools").then((module) => module.approveTools),
  },
  {
    name: "tool-server assign",
    summary: "Assign tools, resources and prompts of a tool server to an agent",
    operands: SLUG,
    flags: {
      ...ASSIGNING,
      tools: { ...TOOLS, fallback: "all, where nothing else is named" },
      resources: { value: "GLOB,…", about: "patterns of its resources' URIs; * stands for anything", fallback: "none" },
      prompts: { value: "PROMPT,…", about: "prompts by name, * for all", fallback: "none" },
    },
    load: () => import("./tool-servers-tools").then((module) => module.assignTools),
  },
  {
    name: "tool-server unassign",
    summary: "Unassign all tools of a tool server from an agent",
    operands: SLUG,
    flags: ASSIGNING,
    load: () => import("./tool-servers-tools").then((module) => module.unassignTools),
  },
  {
    name: "tool-server enable",
    summary: "Enable a disabled tool server",
    operands: SLUG,
    flags: ONE,
    load: () => import("./tool-servers").then((module) => module.enableToolServer),
  },
  {
    name: "tool-server disable",
    summary: "Disable a tool server: its tools are hidden from all callers",
    operands: SLUG,
    flags: ONE,
    load: () => import("./tool-servers").then((module) => module.disableToolServer),
  },
  {
    name: "tool-server publish",
    summary: "List a tool server in the registry that IDEs read",
    operands: SLUG,
    flags: {
      owner: OWNER,
      description: { value: "TEXT", about: "what the registry says of the server, in one line", required: true },
    },
    load: () => import("./tool-servers").then((module) => module.publishToolServer),
  },
  {
    name: "tool-server unpublish",
    summary: "Take a tool server out of the registry",
    operands: SLUG,
    flags: ONE,
    load: () => import("./tool-servers").then((module) => module.unpublishToolServer),
  },
  {
    name: "tool-server import",
    summary: "Propose servers that another registry lists; nothing runs before approval",
    form: "--from URL|FILE [--name GLOB]",
    flags: {
      from: {
        value: "URL|FILE",
        about: "a registry, its list, or a document in a file; - reads stdin",
        required: true,
      },
      name: { value: "GLOB", about: "only servers of this name; * stands for any characters" },
    },
    load: () => import("./tool-servers-registry").then((module) => module.importProposals),
  },
  {
    name: "tool-server proposals",
    summary: "List proposals, or show one with its addresses and exact commands",
    operands: ["[PROPOSAL]"],
    flags: { state: { value: "STATE", about: "filter by state", values: PROPOSAL_STATES, fallback: "all" } },
    load: () => import("./tool-servers-registry").then((module) => module.showProposals),
  },
  {
    name: "tool-server approve-proposal",
    summary: "Approve a proposal: make a tool server of it",
    operands: ["PROPOSAL"],
    flags: {
      owner: { value: "EMAIL", about: "owner of the server", required: true },
      slug: { value: "SLUG", about: "name of the server", fallback: "made of the proposal's name" },
      offer: { value: "N", about: "which of its offers, from 1", fallback: "the only one that can be used" },
      "values-file": { value: "FILE", about: "values of its inputs, one `NAME=value` a line; - reads stdin" },
      oauth: { about: "the owner signs in at the server: see tool-server authorize" },
    },
    load: () => import("./tool-servers-registry").then((module) => module.approveProposal),
  },
  {
    name: "tool-server reject-proposal",
    summary: "Reject a proposal",
    operands: ["PROPOSAL"],
    flags: { reason: { value: "TEXT", about: "why, in one line" } },
    load: () => import("./tool-servers-registry").then((module) => module.rejectProposal),
  },
  {
    name: "tool-server export",
    summary: "Print tool servers as a registry lists them, without credentials",
    flags: { owner: { value: "EMAIL", about: "only this user's" } },
    load: () => import("./tool-servers-registry").then((module) => module.exportToolServers),
  },
  {
    name: "tool-server authorize",
    summary: "Print the sign-in URL of a tool server added with --oauth",
    operands: SLUG,
    flags: ONE,
    load: () => import("./tool-servers").then((module) => module.authorizeToolServer),
  },
  {
    name: "tool-server remove",
    summary: "Remove a tool server, its approvals and its credentials",
    operands: SLUG,
    flags: ONE,
    load: () => import("./tool-servers").then((module) => module.removeToolServer),
  },
];

import type { Requirement } from "./requirement";

export const ELICITATION: readonly Requirement[] = [
  {
    id: "elicitation.relayed",
    promise:
      "A tool server of either protocol generation asks the user during a call, by a client of either that supports it.",
    source: "docs/spec/tool-gateway.md#elicitation",
  },
  {
    id: "elicitation.unsupported",
    promise: "Where the client cannot ask its user, the server is told so at once.",
    source: "docs/spec/tool-gateway.md#elicitation",
  },
  {
    id: "elicitation.credentials",
    promise: "A form that asks for a credential is not shown, and the server or the caller is told why.",
    source: "docs/spec/tool-gateway.md#elicitation",
  },
  {
    id: "elicitation.url",
    promise: "Users are asked to open pages of allowed hosts only, over https, and are told the host.",
    source: "docs/spec/tool-gateway.md#elicitation",
  },
  {
    id: "elicitation.scanned",
    promise: "A question is scanned before the user sees it, an answer before the server gets it; both are recorded.",
    source: "docs/spec/tool-gateway.md#elicitation",
  },
  {
    id: "elicitation.bound",
    promise: "An answer is taken once, from the token that was asked, in size and number and time that have limits.",
    source: "docs/spec/tool-gateway.md#elicitation",
  },
  {
    id: "elicitation.processes",
    promise: "An answer reaches the call wherever among the processes of a hub it arrives.",
    source: "docs/spec/tool-gateway.md#elicitation",
  },
  {
    id: "tool-servers.protocol",
    promise: "A tool server pinned to a version of MCP is spoken to in that version alone.",
    source: "docs/spec/tool-gateway.md#transport",
  },
  {
    id: "tools.tasks",
    promise: "A tool that runs as a task is run to completion for its caller; one that can only fail is not listed.",
    source: "docs/spec/tool-gateway.md#elicitation",
  },
  {
    id: "tools.left-out",
    promise: "A list says which servers it went without because they had not answered yet.",
    source: "docs/spec/tool-gateway.md#progress-cancellation-list-changes",
  },
];

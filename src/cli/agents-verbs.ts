import type { Flag } from "./arguments";
import type { Verb } from "./verb";

const OWNER: Flag = { value: "EMAIL", about: "whose agent, when AGENT is a name" };
const AS: Flag = { value: "EMAIL", about: "who does it: the same rules hold as under /api", required: true };
const REASON: Flag = { value: "TEXT", about: "why, for the record" };

/** Agents, their review and their profiles. */
export const AGENT_VERBS: readonly Verb[] = [
  {
    name: "agent create",
    summary: "Register an agent",
    operands: ["NAME"],
    flags: {
      owner: { value: "EMAIL", about: "whose agent it is", required: true },
      sponsor: { value: "EMAIL", about: "who answers when the owner leaves" },
      description: { value: "TEXT", about: "what it is" },
      environment: { value: "NAME", about: "where it runs: production, staging" },
    },
    load: () => import("./agents").then((room) => room.createAgent),
  },
  { name: "agent list", summary: "List agents", load: () => import("./agents").then((room) => room.listAgents) },
  {
    name: "agent questionnaire",
    summary: "Print answers for Agent Review to fill in",
    load: () => import("./agents-questionnaire").then((room) => room.questionnaire),
  },
  {
    name: "agent submit",
    summary: "Submit an agent for review",
    operands: ["AGENT"],
    flags: {
      answers: { value: "FILE", about: "answers as JSON or TOML; - reads stdin", required: true },
      as: AS,
      owner: { ...OWNER, about: "whose agent, when AGENT is a name; the submitter's unless said" },
    },
    load: () => import("./agents-review").then((room) => room.submitAgent),
  },
  {
    name: "agent approve",
    summary: "Approve an agent's review",
    operands: ["AGENT"],
    flags: { as: AS, owner: OWNER, note: { value: "TEXT", about: "why; needed when nobody else could approve" } },
    load: () => import("./agents-review").then((room) => room.approveAgent),
  },
  {
    name: "agent suspend",
    summary: "Refuse everything an agent asks",
    operands: ["AGENT"],
    flags: { owner: OWNER, reason: REASON },
    load: () => import("./agents").then((room) => room.suspendAgent),
  },
  {
    name: "agent resume",
    summary: "Let a suspended agent run again",
    operands: ["AGENT"],
    flags: { owner: OWNER, reason: REASON },
    load: () => import("./agents").then((room) => room.resumeAgent),
  },
  {
    name: "agent retire",
    summary: "End an agent for good: tokens are revoked, tools unassigned",
    operands: ["AGENT"],
    flags: { owner: OWNER, confirm: { value: "NAME", about: "the agent's name, typed out", required: true } },
    load: () => import("./agents").then((room) => room.retireAgent),
  },
  {
    name: "profile show",
    summary: "Show what an agent is held to",
    operands: ["AGENT"],
    flags: {
      owner: OWNER,
      version: { value: "N", about: "this version", fallback: "the one in force" },
      diff: { about: "and what it changed against the version before" },
    },
    load: () => import("./profiles").then((room) => room.showProfile),
  },
  {
    name: "profile set",
    summary: "Put a profile in force that was written by hand",
    operands: ["AGENT"],
    flags: {
      file: {
        value: "FILE",
        about: "the profile as JSON or TOML, as profile show gives it; - reads stdin",
        required: true,
      },
      as: { ...AS, about: "the administrator who does it" },
      owner: OWNER,
    },
    load: () => import("./profiles").then((room) => room.setProfile),
  },
];

import { RESTRICTION_KINDS } from "#policy/restrictions/restriction";
import type { CliFlag } from "./arguments";
import type { Verb } from "./verb";

const OWNER: CliFlag = { value: "EMAIL", about: "owner of the agent, when AGENT is a name" };
const AS: CliFlag = { value: "EMAIL", about: "user who acts; needs the same role as under /api", required: true };
const REASON: CliFlag = { value: "TEXT", about: "reason, recorded in the audit log" };

/** Agents, their review and their profiles. */
export const AGENT_VERBS: readonly Verb[] = [
  {
    name: "agent create",
    summary: "Register an agent",
    operands: ["NAME"],
    flags: {
      owner: { value: "EMAIL", about: "owner of the agent", required: true },
      sponsor: { value: "EMAIL", about: "sponsor, responsible when the owner leaves" },
      description: { value: "TEXT", about: "description" },
      environment: { value: "NAME", about: "environment, such as production or staging" },
    },
    load: () => import("./agents").then((module) => module.createAgent),
  },
  { name: "agent list", summary: "List agents", load: () => import("./agents").then((module) => module.listAgents) },
  {
    name: "agent show",
    summary: "Show an agent",
    operands: ["AGENT"],
    flags: { owner: OWNER },
    load: () => import("./agents").then((module) => module.showAgent),
  },
  {
    name: "agent edit",
    summary: "Change what is known of an agent; a new owner ends its tokens and tool assignments",
    operands: ["AGENT"],
    flags: {
      owner: OWNER,
      name: { value: "NAME", about: "new name" },
      description: { value: "TEXT", about: "description; an empty one removes it" },
      environment: { value: "NAME", about: "environment; an empty one removes it" },
      sponsor: { value: "EMAIL", about: "sponsor; an empty one removes them" },
      "new-owner": { value: "EMAIL", about: "owner from now on" },
    },
    load: () => import("./agents").then((module) => module.editAgent),
  },
  {
    name: "agent questionnaire",
    summary: "Print a template for the answers of a review",
    load: () => import("./agents-questionnaire").then((module) => module.questionnaire),
  },
  {
    name: "agent submit",
    summary: "Submit an agent for review",
    operands: ["AGENT"],
    flags: {
      answers: { value: "FILE", about: "answers as JSON or TOML; - reads stdin", required: true },
      as: AS,
      owner: { ...OWNER, about: "owner of the agent, when AGENT is a name; default: the submitter" },
    },
    load: () => import("./agents-review").then((module) => module.submitAgent),
  },
  {
    name: "agent approve",
    summary: "Approve the pending review of an agent",
    operands: ["AGENT"],
    flags: { as: AS, owner: OWNER, note: { value: "TEXT", about: "comment; required when nobody else can approve" } },
    load: () => import("./agents-review").then((module) => module.approveAgent),
  },
  {
    name: "agent suspend",
    summary: "Suspend an agent: all its calls are refused",
    operands: ["AGENT"],
    flags: { owner: OWNER, reason: REASON },
    load: () => import("./agents").then((module) => module.suspendAgent),
  },
  {
    name: "agent resume",
    summary: "Resume a suspended agent",
    operands: ["AGENT"],
    flags: { owner: OWNER, reason: REASON },
    load: () => import("./agents").then((module) => module.resumeAgent),
  },
  {
    name: "agent retire",
    summary: "Retire an agent permanently: its tokens are revoked, its tools unassigned",
    operands: ["AGENT"],
    flags: { owner: OWNER, confirm: { value: "NAME", about: "the agent's name, typed out", required: true } },
    load: () => import("./agents").then((module) => module.retireAgent),
  },
  {
    name: "restriction list",
    summary: "List the restrictions of an agent that are in force",
    operands: ["AGENT"],
    flags: { owner: OWNER, all: { about: "include lifted and expired ones" } },
    load: () => import("./restrictions").then((module) => module.listRestrictions),
  },
  {
    name: "restriction set",
    summary: "Restrict an agent for a limited time",
    operands: ["AGENT"],
    flags: {
      kind: { value: "KIND", about: "what is restricted", values: RESTRICTION_KINDS, required: true },
      reason: { ...REASON, required: true },
      "expires-in": { value: "DURATION", about: "e.g. 30m, 4h, 7d; required unless the agent is suspended" },
      models: { value: "A,B", about: "model_restricted: models it may still use, as names or globs" },
      tools: { value: "A,B", about: "tool_restricted: tools it may not use; human_approval: tools to approve" },
      commands: { value: "LIST", about: "tool_restricted: patterns of commands to deny, with commas between them" },
      files: { value: "LIST", about: "tool_restricted: patterns of files to deny, with commas between them" },
      "read-only": { about: "tool_restricted: only tools declared as read-only" },
      "requests-per-minute": { value: "N", about: "rate_limited" },
      "tokens-per-minute": { value: "N", about: "rate_limited" },
      concurrent: { value: "N", about: "rate_limited: calls at the same time" },
      owner: OWNER,
    },
    load: () => import("./restrictions").then((module) => module.setRestriction),
  },
  {
    name: "restriction lift",
    summary: "End a restriction of an agent",
    operands: ["AGENT", "ID"],
    flags: { owner: OWNER, reason: REASON },
    load: () => import("./restrictions").then((module) => module.liftRestriction),
  },
  {
    name: "profile show",
    summary: "Show the guardrail profile of an agent",
    operands: ["AGENT"],
    flags: {
      owner: OWNER,
      version: { value: "N", about: "version to show", fallback: "the one in force" },
      diff: { about: "also show the changes against the previous version" },
    },
    load: () => import("./profiles").then((module) => module.showProfile),
  },
  {
    name: "profile set",
    summary: "Apply a manually written guardrail profile",
    operands: ["AGENT"],
    flags: {
      file: {
        value: "FILE",
        about: "profile as JSON or TOML, in the form of profile show --json; - reads stdin",
        required: true,
      },
      as: { ...AS, about: "administrator who acts" },
      owner: OWNER,
    },
    load: () => import("./profiles").then((module) => module.setProfile),
  },
];

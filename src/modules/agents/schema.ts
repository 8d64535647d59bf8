import { type Static, Type } from "#core/schema";

const closed = { additionalProperties: false } as const;
const email = Type.String({ maxLength: 254, description: "An e-mail address." });
const note = (description: string, maxLength: number) =>
  Type.Union([Type.String({ minLength: 1, maxLength }), Type.Null()], { description });
const reason = Type.String({ minLength: 1, maxLength: 1_000, description: "Why, for the record." });

const FACTS = {
  description: Type.Optional(note("What it is, in a few words.", 2_000)),
  environment: Type.Optional(note("Where it runs: production, staging.", 100)),
  sponsor: Type.Optional(Type.Union([email, Type.Null()], { description: "Who answers when the owner leaves." })),
  owner: Type.Optional(email),
} as const;

export const NewAgent = Type.Object(
  { name: Type.String({ minLength: 1, description: "What its owner calls it." }), ...FACTS },
  { ...closed, $id: "NewAgent" },
);
export type NewAgent = Static<typeof NewAgent>;

export const AgentChange = Type.Object(
  { name: Type.Optional(Type.String({ minLength: 1, description: "What its owner calls it." })), ...FACTS },
  { ...closed, minProperties: 1, $id: "AgentChange" },
);
export type AgentChange = Static<typeof AgentChange>;

export const WithReason = Type.Object({ reason }, { ...closed, $id: "WithReason" });
export type WithReason = Static<typeof WithReason>;

export const Retirement = Type.Object(
  { confirm: Type.String({ description: "The agent's name, typed out: retiring is final." }) },
  { ...closed, $id: "Retirement" },
);
export type Retirement = Static<typeof Retirement>;

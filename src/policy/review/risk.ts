import type { Answers, DATA_CLASSES, ToolEffect } from "./questionnaire";
import { type Risk, TIERS, type Tier } from "./review";

type DataClass = (typeof DATA_CLASSES)[number];
type Part = Risk["parts"][number];

const AUTONOMY = { suggest: 0, act_with_approval: 2, act: 4 } as const;
const AUDIENCE = { self: 0, internal: 1, customer: 3, public: 4 } as const;
const DATA: Readonly<Record<DataClass, number>> = {
  public: 0,
  internal: 1,
  confidential: 3,
  special_category: 5,
  secret: 5,
};
const EGRESS = { none: 0, allow_list: 1, open: 3 } as const;
const STRICTEST_EFFECT = 4;

/** The least points of each tier: 0–4, 5–9, 10–14, 15–20. */
const TIER_FROM: Readonly<Record<Tier, number>> = { low: 0, medium: 5, high: 10, critical: 15 };

/** How much a tool that can do this adds. What is not known counts as the worst. */
export const powerOf = (effect: ToolEffect | null): number => {
  if (effect === "read") return 0;
  return effect === "write" ? 2 : STRICTEST_EFFECT;
};

/** Where answers may link to. A list of hosts is an allow-list; who says nothing is held to none. */
export const egressOf = ({ egress, egress_hosts }: Answers["secrets_security"]): keyof typeof EGRESS => {
  if (Array.isArray(egress)) return "allow_list";
  if (typeof egress === "string") return egress;
  return egress_hosts === undefined ? "none" : "allow_list";
};

/** The tier of an agent with these answers, and the sum it comes from. Pure arithmetic, the same for everybody. */
export const riskOf = (answers: Answers): Risk => {
  const { purpose, oversight } = answers;
  const egress = egressOf(answers.secrets_security);
  const parts: readonly Part[] = [
    { name: "autonomy", answer: oversight.autonomy, points: AUTONOMY[oversight.autonomy] },
    { name: "audience", answer: purpose.audience, points: AUDIENCE[purpose.audience] },
    dataPart(answers.data_privacy.data_classes),
    toolPart(answers),
    { name: "egress", answer: egress, points: EGRESS[egress] },
  ];
  const points = parts.reduce((sum, part) => sum + part.points, 0);
  const counted = tierOf(points);
  const isHighRiskUse = (purpose.annex_iii_area ?? null) !== null;
  if (!isHighRiskUse || isAtLeast(counted, "high")) return { tier: counted, points, parts, raised: null };
  return { tier: "high", points, parts, raised: "A high-risk area of the EU AI Act (Annex III) is at least high." };
};

export const tierOf = (points: number): Tier => TIERS.findLast((tier) => points >= TIER_FROM[tier]) ?? "low";

export const isAtLeast = (tier: Tier, least: Tier): boolean => TIERS.indexOf(tier) >= TIERS.indexOf(least);

const dataPart = (classes: readonly DataClass[]): Part => {
  const highest = heaviest(classes, (it) => DATA[it]);
  return { name: "data", answer: highest ?? "none", points: highest === null ? 0 : DATA[highest] };
};

/** Running code is a power, whether or not a tool is declared for it. */
const toolPart = ({ tools, secrets_security }: Answers): Part => {
  if (secrets_security.code_execution === true) return { name: "tools", answer: "execute", points: STRICTEST_EFFECT };
  const strongest = heaviest(
    tools.tools.map(({ effect }) => effect),
    powerOf,
  );
  return { name: "tools", answer: strongest ?? "none", points: strongest === null ? 0 : powerOf(strongest) };
};

const heaviest = <T>(items: readonly T[], weigh: (item: T) => number): T | null =>
  items.reduce((most: T | null, item) => (most === null || weigh(item) > weigh(most) ? item : most), null);

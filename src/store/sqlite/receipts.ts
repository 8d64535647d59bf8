import { Type } from "#core/schema";
import { POINTS, type Receipt } from "#policy/restrictions/restriction";

/** Receipts as they are stored: of each point the first. */
export const Receipts = Type.Array(
  Type.Object({ point: Type.Union(POINTS.map((point) => Type.Literal(point))), confirmed_at: Type.Integer() }),
);

/** With those added whose point had none; null when there is nothing to add. */
export const withReceipts = (known: readonly Receipt[], more: readonly Receipt[]): Receipt[] | null => {
  const points = new Map(known.map((receipt) => [receipt.point, receipt]));
  for (const receipt of more) if (!points.has(receipt.point)) points.set(receipt.point, receipt);
  return points.size > known.length ? [...points.values()] : null;
};

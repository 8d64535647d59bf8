import type { SuspensionResponse } from "#http/openapi/schemas";

/** Whether an owner lets it go on again themselves. */
export const isOwners = (suspension: SuspensionResponse | null): boolean =>
  suspension === null || suspension.right === "owner";

const BY: Readonly<Record<SuspensionResponse["right"], string>> = {
  owner: "By the owner.",
  administrator: "By an administrator",
  operator: "By command on the host of the hub",
  unknown: "By an unknown user",
};

/** Why who answers for a thing cannot let it go on; nothing where they can. */
export const Halted = ({
  suspension,
  act,
}: {
  readonly suspension: SuspensionResponse | null;
  readonly act: "enable" | "resume";
}) => {
  if (suspension === null || isOwners(suspension)) return null;
  return (
    <span className="mt-0.5 block text-xs text-muted">
      {BY[suspension.right]}
      {suspension.by !== null && `, ${suspension.by}`}. Only an administrator can {act} it.
    </span>
  );
};

import type { ShownHalt } from "#http/halt";

/** Whether an owner lets it go on again themselves. */
export const isOwners = (halt: ShownHalt | null): boolean => halt === null || halt.right === "owner";

const BY: Readonly<Record<ShownHalt["right"], string>> = {
  owner: "By its owner.",
  administrator: "By an administrator",
  operator: "By command at the hub's machine",
  unknown: "It is not known by whom",
};

/** Why who answers for a thing cannot let it go on; nothing where they can. */
export const Halted = ({ halt, act }: { readonly halt: ShownHalt | null; readonly act: "enable" | "resume" }) => {
  if (halt === null || isOwners(halt)) return null;
  return (
    <span className="mt-0.5 block text-xs text-muted">
      {BY[halt.right]}
      {halt.by !== null && `, ${halt.by}`}. Only an administrator can {act} it.
    </span>
  );
};

import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { basePath } from "#dashboard/address/base-path";
import { ApiError } from "#dashboard/api/client";

const AGAIN_MS = 3_000;

const isGone = (fault: unknown): boolean => fault instanceof ApiError && fault.status === 0;

/** Whether the hub can be asked anything at all. */
export const canBeReached = (): Promise<boolean> =>
  fetch(`${basePath()}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  );

/** Whether questions fail to reach the hub. Once one has, it is tried until the hub is back. */
const useIsGone = (): boolean => {
  const [gone, setGone] = useState(false);
  const queries = useQueryClient();
  useEffect(
    () =>
      queries.getQueryCache().subscribe((event) => {
        if (event.type !== "updated") return;
        const { action } = event;
        if ((action.type === "failed" || action.type === "error") && isGone(action.error)) setGone(true);
      }),
    [queries],
  );
  useEffect(() => {
    if (!gone) return;
    const timer = setInterval(async () => {
      if (!(await canBeReached())) return;
      setGone(false);
      void queries.invalidateQueries();
    }, AGAIN_MS);
    return () => clearInterval(timer);
  }, [gone, queries]);
  return gone;
};

/** Says that what is shown is of before, as long as the hub is away. */
export const Reachable = () => {
  const gone = useIsGone();
  return (
    <div role="status">
      {gone && (
        <p className="border-b border-warn/40 bg-warn-soft px-4 py-2 text-warn md:px-6">
          <span className="font-medium">The hub cannot be reached.</span> The data shown may be outdated; retrying every
          few seconds.
        </p>
      )}
    </div>
  );
};

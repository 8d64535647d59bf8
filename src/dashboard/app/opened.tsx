import { useNavigate, useSearch } from "@tanstack/react-router";

/** What is opened by name: in the address, so that it can be gone to from anywhere. */
export type Opening = "new" | "stop";

/** Whether a screen's dialog is open, and what opens and closes it. */
export const useOpened = (name: Opening): readonly [open: boolean, set: (open: boolean) => void] => {
  const search: Readonly<Record<string, unknown>> = useSearch({ strict: false });
  const navigate = useNavigate();
  const set = (open: boolean) =>
    void navigate({
      to: ".",
      replace: true,
      resetScroll: false,
      search: ({ open: _, ...rest }: Readonly<Record<string, unknown>>) => (open ? { ...rest, open: name } : rest),
    });
  return [search["open"] === name, set];
};

import { useEffect, useState } from "react";
import { Button } from "#dashboard/parts/button";
import type { Column } from "#dashboard/parts/table";

type Selectable = { readonly id: string };

/** Which rows of a list are selected: what leaves the list is selected no more. */
export const useSelection = <Item extends Selectable>(items: readonly Item[]) => {
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  useEffect(() => {
    setChosen((old) => {
      const left = items.filter(({ id }) => old.has(id)).map(({ id }) => id);
      return left.length === old.size ? old : new Set(left);
    });
  }, [items]);
  const toggle = (id: string) => {
    const next = new Set(chosen);
    if (!next.delete(id)) next.add(id);
    setChosen(next);
  };
  return {
    selected: items.filter(({ id }) => chosen.has(id)),
    clear: () => setChosen(new Set()),
    all: () => setChosen(new Set(items.map(({ id }) => id))),
    has: (id: string) => chosen.has(id),
    toggle,
  };
};

export type Selection<Item extends Selectable> = ReturnType<typeof useSelection<Item>>;

/** A box in each row that can be selected; x presses it where the keyboard is. */
export const selectColumn = <Item extends Selectable>(
  { has, toggle }: Pick<Selection<Item>, "has" | "toggle">,
  nameOf: (item: Item) => string | null,
): Column<Item> => ({
  name: "Select",
  hidden: true,
  width: "w-10",
  cell: (item) => {
    const name = nameOf(item);
    return (
      name !== null && (
        <label className="inline-grid size-6 place-items-center">
          <span className="sr-only">Select: {name}</span>
          <input
            type="checkbox"
            data-select=""
            checked={has(item.id)}
            onChange={() => toggle(item.id)}
            className="size-4 accent-accent"
          />
        </label>
      )
    );
  },
});

export const SelectAll = <Item extends Selectable>({
  selection,
  count,
}: {
  readonly selection: Selection<Item>;
  /** Of what is shown and can be selected. */
  readonly count: number;
}) => {
  const isAll = count > 0 && selection.selected.length === count;
  return (
    <Button
      data-shortcut="X"
      aria-keyshortcuts="Shift+X"
      disabled={count === 0}
      onClick={isAll ? selection.clear : selection.all}
    >
      {isAll ? "Select none" : "Select all shown"}
    </Button>
  );
};

import { useNavigate } from "@tanstack/react-router";
import { ArrowDown, ArrowUp } from "lucide-react";
import { type ComponentType, type KeyboardEvent, memo, type ReactNode, type Ref, useEffect, useRef } from "react";
import { messageOf } from "#dashboard/api/client";
import { Button } from "./button";
import { ScrollBox } from "./card";
import { cx } from "./class-names";
import { Failed, FilteredOut, Loading, Wrong } from "./states";

export type Column<Item> = {
  readonly name: string;
  /** What stands in the row. */
  readonly cell: (item: Item) => ReactNode;
  readonly align?: "right";
  /** A class: the width it takes, so that lists one below the other line up. */
  readonly width?: string;
  /** Hidden if not all columns fit: on tablets, or on small laptops too. */
  readonly minor?: boolean | "wide";
  /** The name is read out, not shown. */
  readonly hidden?: boolean;
  /** What the list can be sorted by with this column. */
  readonly sort?: string;
};

/** In what order a list is, and what changes that. */
export type Sorting = {
  readonly by: string;
  readonly isAscending: boolean;
  readonly onSort: (by: string) => void;
};

type Listed<Item> = {
  readonly items: readonly Item[];
  readonly isPending: boolean;
  readonly error: Error | null;
  readonly refetch: () => unknown;
  readonly hasNextPage?: boolean;
  readonly isFetchingNextPage?: boolean;
  readonly fetchNextPage?: () => unknown;
};

/** The rows of a table, drawn by their places. */
export type RowsProps = {
  readonly count: number;
  readonly columns: number;
  readonly keyOf: (index: number) => string;
  /** `ref` is told of the row, where its height matters. */
  readonly render: (index: number, ref?: Ref<HTMLTableRowElement>) => ReactNode;
};

const AllRows = ({ count, render }: RowsProps) => (
  <tbody className="max-sm:block">{Array.from({ length: count }, (_, index) => render(index))}</tbody>
);

/** A list in all its states: loading, failed, empty, filtered to nothing, and there; more is asked for page by page. */
export const Table = <Item,>({
  label,
  list,
  columns,
  keyOf,
  to,
  empty,
  filters,
  sorting,
  rows: Rows = AllRows,
}: {
  /** What it is a list of, for screen readers. */
  readonly label: string;
  readonly list: Listed<Item>;
  readonly columns: readonly Column<Item>[];
  readonly keyOf: (item: Item) => string;
  /** Where a row leads: by click, by Enter, by j and k. */
  readonly to?: (item: Item) => string;
  readonly empty: ReactNode;
  readonly filters?: { readonly active: boolean; readonly clear: () => void };
  readonly sorting?: Sorting;
  /** How rows are drawn where they may be thousands. */
  readonly rows?: ComponentType<RowsProps>;
}) => {
  const isLooking = useLookOn(list, filters?.active ?? false);
  if (list.isPending) return <Loading lines={6} />;
  if (list.error && list.items.length === 0) return <Failed error={list.error} onRetry={() => void list.refetch()} />;
  if (list.items.length === 0 && isLooking) return <Loading lines={6} />;
  if (list.items.length === 0) return filters?.active ? <FilteredOut onClear={filters.clear} /> : empty;
  return (
    <>
      <ScrollBox label={label}>
        {/* On narrow screens the cells of a row are stacked, each with its column's name. */}
        <table
          aria-rowcount={list.hasNextPage ? -1 : list.items.length + 1}
          className="w-full border-collapse text-left max-sm:block"
        >
          <thead className="max-sm:sr-only">
            <tr className="border-b border-line text-[13px] text-muted">
              {columns.map(({ name, align, minor, hidden, width, sort }) => (
                <th
                  key={name}
                  scope="col"
                  aria-sort={sortOf(sort, sorting)}
                  className={cx(
                    "px-3 py-2 font-medium whitespace-nowrap first:pl-4 last:pr-4",
                    align === "right" && "text-right",
                    hiddenBelow(minor),
                    width,
                  )}
                >
                  {sort !== undefined && sorting ? (
                    <SortButton name={name} sort={sort} sorting={sorting} />
                  ) : (
                    <span className={hidden ? "sr-only" : ""}>{name}</span>
                  )}
                </th>
              ))}
            </tr>
          </thead>
          <Rows
            count={list.items.length}
            columns={columns.length}
            keyOf={(index) => keyAt(list.items, index, keyOf)}
            render={(index, ref) => {
              const item = list.items[index];
              return (
                item !== undefined && (
                  <Row key={keyOf(item)} item={item} index={index} columns={columns} to={to?.(item)} ref={ref} />
                )
              );
            }}
          />
        </table>
      </ScrollBox>
      {list.error && (
        <div className="border-t border-line p-2">
          <Wrong>{messageOf(list.error)}</Wrong>
        </div>
      )}
      {list.hasNextPage && (
        <div className="flex justify-center border-t border-line p-2">
          <ShowMore isBusy={list.isFetchingNextPage ?? false} onMore={() => void list.fetchNextPage?.()} />
        </div>
      )}
    </>
  );
};

/**
 * Rows that come into view are measured, which may move what is below them away between the press and the release of a
 * mouse: no click comes of that. The press counts; a finger that is put down there may only want to scroll.
 */
const ShowMore = ({ isBusy, onMore }: { readonly isBusy: boolean; readonly onMore: () => void }) => {
  const pressed = useRef("");
  return (
    <Button
      kind="quiet"
      busy={isBusy}
      onPointerDown={({ pointerType, button }) => {
        pressed.current = pointerType;
        if (pointerType === "mouse" && button === 0) onMore();
      }}
      // A key's click has no detail.
      onClick={({ detail }) => {
        if (detail === 0 || pressed.current !== "mouse") onMore();
      }}
    >
      Show more
    </Button>
  );
};

const hiddenBelow = (minor: boolean | "wide" | undefined): string | false => {
  if (minor === "wide") return "sm:max-xl:hidden";
  return minor === true && "sm:max-lg:hidden";
};

const sortOf = (sort: string | undefined, sorting: Sorting | undefined) => {
  if (sort === undefined || sorting?.by !== sort) return undefined;
  return sorting.isAscending ? ("ascending" as const) : ("descending" as const);
};

const SortButton = ({
  name,
  sort,
  sorting: { by, isAscending, onSort },
}: {
  readonly name: string;
  readonly sort: string;
  readonly sorting: Sorting;
}) => {
  const is = by === sort;
  const Icon = is && isAscending ? ArrowUp : ArrowDown;
  return (
    <button
      type="button"
      onClick={() => onSort(sort)}
      className={cx("group inline-flex items-center gap-1 font-medium hover:text-text", is && "text-text")}
    >
      {name}
      <Icon className={cx("size-3.5 shrink-0", !is && "opacity-0 group-hover:opacity-60")} aria-hidden />
    </button>
  );
};

/** A page is filled before the rest is left to be asked for. */
const FEW = 20;

/**
 * What is filtered here may be on a page of the list that was not asked for yet, and a search that took too long answers
 * with a page of nothing: looks on until there is enough to show.
 */
const useLookOn = (list: Listed<unknown>, isFiltered: boolean): boolean => {
  const { items, hasNextPage = false, isFetchingNextPage = false, error, fetchNextPage } = list;
  const isLooking = hasNextPage && error === null && items.length < (isFiltered ? FEW : 1);
  useEffect(() => {
    if (isLooking && !isFetchingNextPage) void fetchNextPage?.();
  }, [isLooking, isFetchingNextPage, fetchNextPage]);
  return isLooking;
};

const INTERACTIVE = "a, button, input, select, textarea, label";

const keyAt = <Item,>(items: readonly Item[], index: number, keyOf: (item: Item) => string): string => {
  const item = items[index];
  return item === undefined ? String(index) : keyOf(item);
};

const RowOf = <Item,>({
  item,
  index,
  columns,
  to,
  ref,
}: {
  readonly item: Item;
  readonly index: number;
  readonly ref?: Ref<HTMLTableRowElement> | undefined;
  readonly columns: readonly Column<Item>[];
  readonly to: string | undefined;
}) => {
  const navigate = useNavigate();
  const go = () => to !== undefined && void navigate({ to });
  const leads =
    to === undefined
      ? {}
      : {
          // The link in the row is the stop of the Tab key: rows are gone to by j and k.
          tabIndex: -1,
          "data-row": "",
          onClick: (event: { readonly target: EventTarget }) => {
            // What stands in the row and can be pressed does its own work.
            if (event.target instanceof Element && event.target.closest(INTERACTIVE)) return;
            // A click that selects text must not open the row.
            if (getSelection()?.type === "Range") return;
            go();
          },
          onKeyDown: (event: KeyboardEvent) => {
            if (event.key === "Enter" && event.target === event.currentTarget) go();
          },
        };
  return (
    <tr
      {...leads}
      ref={ref}
      data-index={index}
      // The names of the columns are the first.
      aria-rowindex={index + 2}
      className={cx(
        "border-b border-line last:border-b-0 hover:bg-raised/60 max-sm:flex max-sm:flex-wrap max-sm:items-center max-sm:gap-x-4 max-sm:gap-y-1 max-sm:px-4 max-sm:py-2.5",
        to !== undefined && "cursor-pointer",
      )}
    >
      {columns.map((column, at) => (
        <Cell key={column.name} column={column} item={item} isFirst={at === 0} />
      ))}
    </tr>
  );
};

/** Drawn anew when its item or its columns are others. */
const Row = memo(RowOf) as typeof RowOf;

const NOTHING: readonly unknown[] = [null, undefined, false, ""];

const Cell = <Item,>({
  column: { name, cell, align, minor = false, hidden = false },
  item,
  isFirst,
}: {
  readonly column: Column<Item>;
  readonly item: Item;
  readonly isFirst: boolean;
}) => {
  const content = cell(item);
  return (
    <td
      className={cx(
        "align-middle max-sm:flex max-sm:max-w-full max-sm:items-baseline max-sm:gap-2 sm:px-3 sm:py-2 sm:first:pl-4 sm:last:pr-4",
        align === "right" && "sm:text-right",
        hiddenBelow(minor),
        NOTHING.includes(content) && "max-sm:hidden",
        isFirst && "max-sm:basis-full",
        hidden && "max-sm:ml-auto",
      )}
    >
      {!isFirst && !hidden && (
        <span className="shrink-0 text-[13px] text-muted sm:hidden" aria-hidden>
          {name}
        </span>
      )}
      <div className="min-w-0 max-sm:wrap-anywhere">{content}</div>
    </td>
  );
};

/** What is known whole, as a list of the same form. */
export const known = <Item,>(items: readonly Item[]): Listed<Item> => ({
  items,
  isPending: false,
  error: null,
  refetch: () => {},
});

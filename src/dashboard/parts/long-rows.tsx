import { useWindowVirtualizer } from "@tanstack/react-virtual";
import { useLayoutEffect, useRef, useState } from "react";
import type { RowsProps } from "./table";

/** Fewer are drawn as they are. */
const MANY = 50;
/** Of a row of two lines, until some were measured. Pixels. */
const USUAL_HEIGHT = 55;
/** Drawn above and below what is seen, so that the keyboard always finds a next row. */
const BEYOND = 12;

/** The rows of a table that may have thousands: those that are seen, and some more. */
export const LongRows = (props: RowsProps) =>
  props.count <= MANY ? (
    <tbody className="max-sm:block">{Array.from({ length: props.count }, (_, index) => props.render(index))}</tbody>
  ) : (
    <SeenRows {...props} />
  );

const SeenRows = ({ count, columns, keyOf, render }: RowsProps) => {
  const body = useRef<HTMLTableSectionElement>(null);
  const [begin, setBegin] = useState(0);
  const usual = useRef(USUAL_HEIGHT);
  // What stands above the list changes with its filters.
  useLayoutEffect(() => {
    const top = body.current?.getBoundingClientRect().top ?? 0;
    setBegin(Math.round(top + window.scrollY));
  });
  const virtual = useWindowVirtualizer<HTMLTableRowElement>({
    count,
    estimateSize: () => usual.current,
    overscan: BEYOND,
    scrollMargin: begin,
    getItemKey: keyOf,
  });
  const seen = virtual.getVirtualItems();
  // Rows to come are taken for as high as those that are seen: what is below them moves the less when they come.
  const [first, last] = [seen[0], seen.at(-1)];
  if (first && last) usual.current = (last.end - first.start) / seen.length;
  const above = (seen[0]?.start ?? begin) - begin;
  const below = virtual.getTotalSize() - ((seen.at(-1)?.end ?? begin) - begin);
  return (
    <tbody ref={body} className="max-sm:block">
      <Gap height={above} columns={columns} />
      {seen.map(({ index }) => render(index, virtual.measureElement))}
      <Gap height={below} columns={columns} />
    </tbody>
  );
};

const Gap = ({ height, columns }: { readonly height: number; readonly columns: number }) =>
  height > 0 && (
    <tr aria-hidden className="max-sm:block" style={{ height }}>
      <td colSpan={columns} className="max-sm:block" />
    </tr>
  );

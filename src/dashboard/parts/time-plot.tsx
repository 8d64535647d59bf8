import { type KeyboardEvent, type PointerEvent, useEffect, useRef, useState } from "react";
import uPlot from "uplot";
import { Button } from "./button";
import {
  barsOf,
  bucketAt,
  type ChartData,
  type ChartSeries,
  movedBy,
  nearestTo,
  spanOfBuckets,
  spanText,
  stacked,
  sumAt,
  TICK_PX,
  tickTexts,
} from "./chart-data";

type Span = { readonly from: number; readonly to: number };
/** What can be done with a span that was selected. */
type SpanAction = { readonly label: string; readonly run: (span: Span) => void };
type Format = (value: number) => string;
type Drawing = { readonly data: ChartData; readonly format: Format; readonly height: number; readonly whole: boolean };
/** Where the values are drawn, in pixels from the left edge, and how high. */
type Area = { readonly left: number; readonly width: number; readonly top: number; readonly height: number };
/** Buckets from one to another, in whichever order they were chosen. */
type Chosen = { readonly one: number; readonly other: number };

const colourOf = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

/** No tick between whole counts. */
const STEPS = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000].flatMap((ten) => [ten, 2 * ten, 5 * ten]);
const X_AXIS_PX = 40;
const MAX_BAR_PX = 64;
/** Half of a label, without what the right margin has for it. */
const EDGE_PX = 14;
const READING_PX = 236;
/** Beside the values, so that the last label of the axis has room. */
const RIGHT_PX = 16;

const linesOf = ({ series }: ChartData): readonly ChartSeries[] => series.filter(({ kind }) => kind === "line");

/** Pixels of the widest label of an axis. */
const widthOf = (labels: readonly string[] | null): number =>
  Math.max(28, ...(labels ?? []).map((label) => label.length * 7 + 12));

/** As high as the highest bar or line, of this period or the one before. */
const topOf = (data: ChartData): number => {
  const bars = barsOf(data);
  const sums = data.starts.map((_, index) => sumAt(bars, index));
  const others = [...linesOf(data), ...(data.before ? [data.before] : [])].flatMap(({ values }) => values);
  return [...sums, ...others].reduce<number>((top, value) => Math.max(top, value ?? 0), 0);
};

/** The tallest first: each is drawn over by the one that it stands on. */
const drawnBars = (data: ChartData): uPlot.Series[] =>
  barsOf(data)
    .map(({ name, colour }) => ({
      label: name,
      fill: colourOf(colour),
      stroke: colourOf("--panel"),
      width: data.starts.length > 60 ? 0 : 0.5,
      points: { show: false },
      // What is counted of a bucket is right of its start.
      ...(uPlot.paths.bars && { paths: uPlot.paths.bars({ size: [0.86, MAX_BAR_PX], align: 1 }) }),
    }))
    .reverse();

const drawnLines = (data: ChartData): uPlot.Series[] =>
  linesOf(data).map(({ name, colour }) => ({
    label: name,
    stroke: colourOf(colour),
    width: 2,
    points: { show: data.starts.length < 40, size: 5, fill: colourOf(colour) },
  }));

const drawnBefore = ({ before }: ChartData, isStepped: boolean): uPlot.Series[] =>
  before === undefined
    ? []
    : [
        {
          label: before.name,
          stroke: colourOf("--text"),
          width: 1.5,
          dash: [4, 3],
          points: { show: false },
          ...(isStepped && uPlot.paths.stepped && { paths: uPlot.paths.stepped({ align: 1 }) }),
        },
      ];

const draw = (place: HTMLElement, drawing: Drawing, onArea: (area: Area) => void): uPlot => {
  const { data, format, height, whole } = drawing;
  const { starts, end, before } = data;
  const bars = barsOf(data);
  const grid = { stroke: colourOf("--line"), width: 1 };
  const axis = { stroke: colourOf("--muted"), grid, ticks: { ...grid, size: 4 }, font: "12px system-ui" };
  const top = topOf(data);
  const options: uPlot.Options = {
    width: place.clientWidth,
    height,
    padding: [8, RIGHT_PX, 0, 0],
    legend: { show: false },
    cursor: { show: false },
    scales: {
      x: { range: () => [(starts[0] ?? end) / 1_000, end / 1_000] },
      y: { range: () => [0, top === 0 ? 1 : top * 1.04] },
    },
    axes: [
      {
        ...axis,
        size: X_AXIS_PX,
        space: TICK_PX,
        values: ({ width }: uPlot, ticks: number[]) => {
          const texts = tickTexts(ticks.map((tick) => tick * 1_000));
          // At the right edge there is no room for one.
          const room = ((end - (starts[0] ?? end)) * EDGE_PX) / width;
          return texts.map((text, at) => ((ticks[at] ?? 0) * 1_000 > end - room ? "" : text));
        },
      },
      {
        ...axis,
        ...(whole ? { incrs: STEPS } : {}),
        space: 36,
        size: (_: uPlot, labels: string[] | null) => widthOf(labels),
        values: (_: uPlot, all: number[]) => all.map(format),
      },
    ],
    series: [{}, ...drawnBars(data), ...drawnLines(data), ...drawnBefore(data, bars.length > 0)],
    hooks: {
      draw: [
        ({ bbox }) => {
          const [left, width, above, tall] = [bbox.left, bbox.width, bbox.top, bbox.height].map(
            (pixels) => pixels / devicePixelRatio,
          );
          onArea({ left: left ?? 0, width: width ?? 0, top: above ?? 0, height: tall ?? 0 });
        },
      ],
    },
  };
  const values = [
    starts.map((start) => start / 1_000),
    ...stacked(bars, starts.length).reverse(),
    ...linesOf(data).map((line) => [...line.values]),
    ...(before ? [starts.map((_, index) => before.values[index] ?? null)] : []),
  ];
  return new uPlot(options, values as uPlot.AlignedData, place);
};

/** Draws into `place`; anew when what is shown, the theme or the width changes. Says where the values are. */
const useDrawn = (drawing: Drawing) => {
  const place = useRef<HTMLDivElement>(null);
  const [area, setArea] = useState<Area>({ left: 0, width: 0, top: 0, height: 0 });
  const { data, format, height, whole } = drawing;
  const shown = JSON.stringify(data);
  // biome-ignore lint/correctness/useExhaustiveDependencies: the same data in another object are drawn already
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    const onArea = (next: Area) => setArea((old) => (JSON.stringify(old) === JSON.stringify(next) ? old : next));
    const make = () => draw(element, { data, format, height, whole }, onArea);
    let plot = make();
    const themes = new MutationObserver(() => {
      plot.destroy();
      plot = make();
    });
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    const sizes = new ResizeObserver(() => {
      if (element.clientWidth !== plot.width) plot.setSize({ width: element.clientWidth, height });
    });
    sizes.observe(element);
    return () => {
      themes.disconnect();
      sizes.disconnect();
      plot.destroy();
    };
  }, [shown, format, height, whole]);
  return { place, area };
};

/** Which bucket is read and which are selected, by pointer and by keyboard. */
const useSelection = (data: ChartData, area: Area, onSpan: SpanAction | undefined) => {
  const [active, setActive] = useState<number | null>(null);
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const leave = () => {
    setActive(null);
    setChosen(null);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: what is selected stands for other moments in a new period
  useEffect(leave, [data.starts[0], data.end, data.starts.length]);
  const run = ({ one, other }: Chosen) => onSpan?.run(spanOfBuckets(data, one, other));

  const choose = onSpan ? setChosen : () => undefined;

  const at = active ?? chosen?.other ?? null;
  const moved = (to: number, isMore: boolean) => {
    setActive(to);
    choose({ one: isMore ? (chosen?.one ?? at ?? to) : to, other: to });
  };
  const onKeyDown = (event: KeyboardEvent<HTMLElement>) => {
    const { key, shiftKey } = event;
    const to = movedBy(key, at, data.starts.length);
    if (to !== undefined) moved(to, shiftKey);
    else if (key === "Escape" && at !== null) leave();
    else if (key === "Enter" && chosen !== null) run(chosen);
    else return;
    event.preventDefault();
  };
  const pointer = usePointer({ data, area, chosen, choose, read: setActive, run });
  return { active, chosen, run, on: { ...pointer, onKeyDown, onBlur: () => setActive(null) } };
};

/** A click selects a bucket, a click with Shift up to it; dragging across some runs what is done with a span. */
const usePointer = ({
  data,
  area,
  chosen,
  choose,
  read,
  run,
}: {
  readonly data: ChartData;
  readonly area: Area;
  readonly chosen: Chosen | null;
  readonly choose: (chosen: Chosen | null) => void;
  readonly read: (index: number | null) => void;
  readonly run: (chosen: Chosen) => void;
}) => {
  /** Where the button went down. */
  const begun = useRef<number | null>(null);
  const indexOf = ({ clientX, currentTarget }: PointerEvent<HTMLElement>): number => {
    const { starts, end } = data;
    const share = (clientX - currentTarget.getBoundingClientRect().left - area.left) / Math.max(1, area.width);
    const first = starts[0] ?? end;
    const moment = first + share * (end - first);
    return barsOf(data).length > 0 ? bucketAt(starts, moment) : nearestTo(starts, moment);
  };
  return {
    onPointerDown: (event: PointerEvent<HTMLElement>) => {
      if (event.button !== 0) return;
      const index = indexOf(event);
      begun.current = index;
      choose({ one: event.shiftKey ? (chosen?.one ?? index) : index, other: index });
    },
    onPointerMove: (event: PointerEvent<HTMLElement>) => {
      const index = indexOf(event);
      read(index);
      if (begun.current === null || index === begun.current) return;
      event.currentTarget.setPointerCapture(event.pointerId);
      choose({ one: begun.current, other: index });
    },
    onPointerUp: (event: PointerEvent<HTMLElement>) => {
      const from = begun.current;
      begun.current = null;
      const other = indexOf(event);
      if (from !== null && from !== other) run({ one: from, other });
    },
    onPointerCancel: () => {
      begun.current = null;
      choose(null);
    },
    onPointerLeave: () => read(null),
  };
};

const TimePlot = ({
  data,
  label,
  format,
  height,
  whole,
  onSpan,
  onZoom,
}: Drawing & {
  readonly label: string;
  readonly onSpan?: SpanAction | undefined;
  readonly onZoom?: SpanAction["run"] | undefined;
}) => {
  const { place, area } = useDrawn({ data, format, height, whole });
  const { active, chosen, run, on } = useSelection(data, area, onSpan);
  const first = data.starts[0] ?? data.end;
  const xOf = (moment: number): number => area.left + ((moment - first) / Math.max(1, data.end - first)) * area.width;
  const isBars = barsOf(data).length > 0;
  const span = chosen && spanOfBuckets(data, chosen.one, chosen.other);
  const read = active ?? chosen?.other ?? null;
  return (
    <div className="min-w-0">
      <div
        role="slider"
        tabIndex={0}
        aria-label={`${label} Arrow keys read its values${onSpan ? ", Shift selects" : ""}.`}
        aria-valuemin={0}
        aria-valuemax={Math.max(0, data.starts.length - 1)}
        aria-valuenow={read ?? 0}
        aria-valuetext={read === null ? "No bar selected" : valueText(data, read, format)}
        className="relative touch-pan-y rounded-sm select-none"
        {...on}
      >
        <div ref={place} style={{ height }} />
        {span && onSpan && <Shade area={area} left={xOf(span.from)} right={xOf(span.to)} className="bg-accent/20" />}
        {active !== null && (
          <>
            <Marker data={data} area={area} index={active} xOf={xOf} isBars={isBars} />
            <Reading data={data} index={active} format={format} area={area} xOf={xOf} />
          </>
        )}
      </div>
      <Legend data={data} />
      {span && chosen && onSpan && (
        <p className="mt-1 flex flex-wrap items-center gap-2 text-[13px]">
          <span>
            Selected: <span className="font-medium">{spanText(span)}</span>
          </span>
          <Button small onClick={() => run(chosen)}>
            {onSpan.label}
          </Button>
          {onZoom && (
            <Button small onClick={() => onZoom(span)}>
              Zoom in
            </Button>
          )}
        </p>
      )}
    </div>
  );
};

const Shade = ({
  area: { top, height },
  left,
  right,
  className,
}: {
  readonly area: Area;
  readonly left: number;
  readonly right: number;
  readonly className: string;
}) => (
  <div
    aria-hidden
    className={`pointer-events-none absolute ${className}`}
    style={{ top, height, left, width: Math.max(1, right - left) }}
  />
);

/** The bucket that is read, or the point. */
const Marker = ({
  data,
  area,
  index,
  xOf,
  isBars,
}: {
  readonly data: ChartData;
  readonly area: Area;
  readonly index: number;
  readonly xOf: (moment: number) => number;
  readonly isBars: boolean;
}) => {
  const { from, to } = spanOfBuckets(data, index, index);
  return isBars ? (
    <Shade area={area} left={xOf(from)} right={xOf(to)} className="bg-strong-line/20" />
  ) : (
    <Shade area={area} left={xOf(from)} right={xOf(from) + 1} className="bg-strong-line" />
  );
};

type Value = { readonly name: string; readonly colour: string; readonly text: string; readonly isDashed?: boolean };

const valuesAt = ({ series, before }: ChartData, index: number, format: Format): readonly Value[] => {
  const text = (value: number | null | undefined): string => (value == null ? "–" : format(value));
  const now = series.map(({ name, colour, values }) => ({ name, colour, text: text(values[index]) }));
  if (!before) return now;
  return [...now, { name: before.name, colour: "--text", text: text(before.values[index]), isDashed: true }];
};

/** When a bucket or a measurement was. */
const whenAt = (data: ChartData, index: number): string => {
  const { from, to } = spanOfBuckets(data, index, index);
  return spanText({ from, to: barsOf(data).length > 0 ? to : from });
};

/** `Nov 26, 10:00 – 10:15: Calls 12, Allowed 10, …`, for screen readers. */
const valueText = (data: ChartData, index: number, format: Format): string => {
  const values = valuesAt(data, index, format).map(({ name, text }) => `${name} ${text}`);
  const sum = data.total ? [`${data.total} ${format(sumAt(barsOf(data), index))}`] : [];
  return `${whenAt(data, index)}: ${[...sum, ...values].join(", ")}`;
};

/** The values of one bucket, beside it. */
const Reading = ({
  data,
  index,
  format,
  area,
  xOf,
}: {
  readonly data: ChartData;
  readonly index: number;
  readonly format: Format;
  readonly area: Area;
  readonly xOf: (moment: number) => number;
}) => {
  // Beside the bar, on the side with more room, and never over the edge.
  const all = area.left + area.width;
  const { from, to } = spanOfBuckets(data, index, index);
  const isRight = xOf(from) < area.left + area.width / 2;
  const beside = isRight ? xOf(barsOf(data).length > 0 ? to : from) : all + RIGHT_PX - xOf(from);
  const inset = Math.max(0, Math.min(beside + 8, all + RIGHT_PX - READING_PX));
  // Parts that are not there take no line where a sum says that there is nothing.
  const isShown = ({ text, isDashed }: Value): boolean => !data.total || isDashed === true || text !== format(0);
  const values = valuesAt(data, index, format).filter(isShown);
  return (
    <div
      aria-hidden
      data-chart-values
      className="pointer-events-none absolute z-10 rounded-md border border-line bg-panel px-2.5 py-1.5 text-[13px] shadow-lift"
      style={{ top: area.top, maxWidth: READING_PX, [isRight ? "left" : "right"]: inset }}
    >
      <p className="font-medium">{whenAt(data, index)}</p>
      <table>
        <tbody>
          {data.total && (
            <tr>
              <td />
              <td className="pr-4">{data.total}</td>
              <td className="text-right font-medium">{format(sumAt(barsOf(data), index))}</td>
            </tr>
          )}
          {values.map(({ name, colour, text, isDashed }) => (
            <tr key={name}>
              <td className="pr-1.5">
                <Swatch colour={colour} isLine={isDashed === true} />
              </td>
              <td className="max-w-36 truncate pr-4">{name}</td>
              <td className="text-right font-medium">{text}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
};

const Swatch = ({ colour, isLine }: { readonly colour: string; readonly isLine: boolean }) => (
  <svg width="12" height="10" aria-hidden="true" className="inline-block">
    {isLine ? (
      <line x1="0" x2="12" y1="5" y2="5" stroke={`var(${colour})`} strokeWidth="2" strokeDasharray="4 3" />
    ) : (
      <rect width="12" height="10" rx="2" fill={`var(${colour})`} />
    )}
  </svg>
);

const Legend = ({ data: { series, before } }: { readonly data: ChartData }) => (
  <ul className="mt-1 flex flex-wrap gap-x-4 text-[13px] text-muted">
    {[...series, ...(before ? [{ name: before.name, colour: "--text", isDashed: true }] : [])].map((one) => (
      <li key={one.name} className="inline-flex min-w-0 items-center gap-1.5">
        <Swatch colour={one.colour} isLine={"isDashed" in one} />
        <span className="truncate">{one.name}</span>
      </li>
    ))}
  </ul>
);

export default TimePlot;

import { useEffect, useRef } from "react";
import uPlot from "uplot";
import { LOCALE, roughly } from "./numbers";

type Series = {
  readonly name: string;
  /** A variable of the style sheet: `--accent`. */
  readonly colour: string;
  readonly values: readonly (number | null)[];
  /** Read against the right-hand scale, in percent. */
  readonly share?: boolean;
  readonly filled?: boolean;
};

const colourOf = (name: string): string => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

const clock = new Intl.DateTimeFormat(LOCALE, { hour: "2-digit", minute: "2-digit" });
const day = new Intl.DateTimeFormat(LOCALE, { day: "numeric", month: "short" });
const DAY_S = 86_400;

/** As the viewer writes times; the day where it begins, and below the first. */
const timesOf = (_: uPlot, ticks: number[]): string[] => {
  const apart = (ticks[1] ?? 0) - (ticks[0] ?? 0);
  let before = "";
  return ticks.map((tick) => {
    const date = new Date(tick * 1_000);
    const today = day.format(date);
    const isNew = today !== before;
    before = today;
    if (apart >= DAY_S) return today;
    return isNew ? `${clock.format(date)}\n${today}` : clock.format(date);
  });
};

/** No tick between whole calls. */
const WHOLE = [1, 2, 5].flatMap((one) => [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000].map((ten) => one * ten));
const STEPS = WHOLE.sort((a, b) => a - b);

/** Values over time. `times` are Unix seconds. Drawn anew when the page turns dark or light, or its width changes. */
const draw = (place: HTMLElement, times: readonly number[], series: readonly Series[], height: number): uPlot => {
  const muted = colourOf("--muted");
  const grid = { stroke: colourOf("--line"), width: 1 };
  const axis = { stroke: muted, grid, ticks: grid, font: "12px system-ui" };
  const hasShare = series.some(({ share }) => share);
  return new uPlot(
    {
      width: place.clientWidth,
      height,
      cursor: { y: false },
      legend: { show: false },
      scales: {
        share: { range: (_, __, most) => [0, Math.max(most ?? 0, 0.01)] },
        y: { range: (_, __, most) => [0, Math.max(most ?? 0, 1)] },
      },
      axes: [
        { ...axis, values: timesOf },
        { ...axis, size: 48, incrs: STEPS, values: (_: uPlot, all: number[]) => all.map(roughly) },
        ...(hasShare
          ? [
              {
                ...axis,
                scale: "share",
                side: 1 as const,
                grid: { show: false },
                size: 48,
                values: (_: uPlot, all: number[]) => all.map((one) => `${Math.round(one * 1_000) / 10}%`),
              },
            ]
          : []),
      ],
      series: [
        {},
        ...series.map(({ name, colour, share, filled }) => ({
          label: name,
          stroke: colourOf(colour),
          width: 1.5,
          scale: share ? "share" : "y",
          points: { show: false },
          ...(filled ? { fill: `${colourOf(colour)}22` } : {}),
          ...(share ? { dash: [4, 3] } : {}),
        })),
      ],
    },
    [[...times], ...series.map(({ values }) => [...values])],
    place,
  );
};

const TimeSeries = ({
  times,
  series,
  height = 220,
}: {
  readonly times: readonly number[];
  readonly series: readonly Series[];
  readonly height?: number;
}) => {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = place.current;
    if (!element) return;
    let plot = draw(element, times, series, height);
    const again = () => {
      plot.destroy();
      plot = draw(element, times, series, height);
    };
    const themes = new MutationObserver(again);
    themes.observe(document.documentElement, { attributes: true, attributeFilter: ["data-theme"] });
    const sizes = new ResizeObserver(() => plot.setSize({ width: element.clientWidth, height }));
    sizes.observe(element);
    return () => {
      themes.disconnect();
      sizes.disconnect();
      plot.destroy();
    };
  }, [times, series, height]);
  return (
    <div className="min-w-0">
      <div ref={place} style={{ height }} />
      <ul className="mt-1 flex flex-wrap gap-x-4 text-[13px] text-muted">
        {series.map(({ name, colour, share }) => (
          <li key={name} className="inline-flex items-center gap-1.5">
            <svg width="14" height="8" aria-hidden="true">
              <line
                x1="0"
                x2="14"
                y1="4"
                y2="4"
                stroke={`var(${colour})`}
                strokeWidth="2"
                strokeDasharray={share ? "4 3" : undefined}
              />
            </svg>
            {name}
          </li>
        ))}
      </ul>
    </div>
  );
};

export default TimeSeries;

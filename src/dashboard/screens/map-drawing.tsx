import { useNavigate } from "@tanstack/react-router";
import { type ReactNode, useMemo, useState } from "react";
import { basePath } from "#dashboard/app/base-path";
import { cx } from "#dashboard/parts/class-names";
import { BOX, drawn, type FanOut, Graph, type Node, type Placed, TITLES } from "./map-layout";

/** What fits into a box at the size of its text. */
const LONGEST = 25;
const USUAL: readonly (string | null)[] = [null, "active", "approved"];
const KIND_WORDS = { user: "User", agent: "Agent", tool_server: "Tool server", tool: "Tool" } as const;

const placeFor = ({ kind, id, name }: Node): string => {
  if (kind === "user") return `/agents?q=${encodeURIComponent(name)}`;
  if (kind === "agent") return `/agents/${id}`;
  // A tool's id begins with its server's.
  return `/tool-servers/${id.split("/")[0]}`;
};

const short = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);

/** Four columns and lines between them. Whoever is pointed at, or has the keyboard, stands out with all its ways. */
export const MapDrawing = ({
  map,
  summary,
}: {
  readonly map: Pick<FanOut, "nodes" | "edges">;
  readonly summary: string;
}) => {
  const [at, setAt] = useState<string | null>(null);
  const drawing = useMemo(() => drawn(map), [map]);
  const graph = useMemo(() => new Graph(map), [map]);
  const lit = useMemo(() => (at === null ? null : graph.around(at)), [graph, at]);
  const isLit = (...ids: readonly string[]): boolean => lit === null || ids.every((id) => lit.has(id));
  return (
    // biome-ignore lint/a11y/useSemanticElements: a picture's parts are no fieldset
    <svg
      role="group"
      aria-label={summary}
      width={drawing.width}
      height={drawing.height}
      viewBox={`0 0 ${drawing.width} ${drawing.height}`}
      className="mx-auto"
    >
      {drawing.columns.map(({ kind, x }) => (
        <text key={kind} x={x} y={14} className="fill-muted text-[13px] font-medium">
          {TITLES[kind]}
        </text>
      ))}
      <g fill="none" strokeWidth="1.5" aria-hidden>
        {drawing.curves.map(({ from, to, path }) => (
          <path
            key={`${from} ${to}`}
            d={path}
            className={cx(
              "transition-opacity",
              lit !== null && isLit(from, to) ? "stroke-accent" : "stroke-strong-line",
              isLit(from, to) ? (lit === null ? "opacity-50" : "opacity-100") : "opacity-10",
            )}
          />
        ))}
      </g>
      {drawing.nodes.map((node) => (
        <Place key={node.id} node={node} isFaint={!isLit(node.id)} isHere={node.id === at} onPoint={setAt}>
          {`${KIND_WORDS[node.kind]} ${node.name}${node.status === null ? "" : `, ${node.status}`}: ${graph.around(node.id).size - 1} connected`}
        </Place>
      ))}
    </svg>
  );
};

const Place = ({
  node,
  isFaint,
  isHere,
  onPoint,
  children,
}: {
  readonly node: Placed;
  readonly isFaint: boolean;
  readonly isHere: boolean;
  readonly onPoint: (id: string | null) => void;
  readonly children: ReactNode & string;
}) => {
  const navigate = useNavigate();
  const to = placeFor(node);
  const isUsual = USUAL.includes(node.status);
  // The column before says whose tool it is.
  const name = node.kind === "tool" ? node.name.slice(node.name.indexOf("__") + 2) : node.name;
  const words = isUsual ? name : `${name} · ${node.status}`;
  return (
    <a
      href={`${basePath()}${to}`}
      aria-label={children}
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) return;
        event.preventDefault();
        void navigate({ to });
      }}
      onMouseEnter={() => onPoint(node.id)}
      onMouseLeave={() => onPoint(null)}
      onFocus={() => onPoint(node.id)}
      onBlur={() => onPoint(null)}
      className={cx("transition-opacity outline-none", isFaint && "opacity-25")}
    >
      <title>{children}</title>
      <rect
        x={node.x}
        y={node.y}
        width={BOX.width}
        height={BOX.height}
        rx="6"
        strokeWidth={isHere ? 2 : 1}
        strokeDasharray={isUsual ? undefined : "4 3"}
        className={cx(
          isHere ? "fill-accent-soft stroke-accent" : "fill-panel",
          !isHere && (isUsual ? "stroke-line" : "stroke-warn"),
        )}
      />
      <text
        x={node.x + 10}
        y={node.y + 16}
        className={cx("text-[12px]", isUsual ? "fill-text" : "fill-warn", node.kind === "tool" && "font-mono")}
      >
        {short(words)}
      </text>
    </a>
  );
};

import { useNavigate } from "@tanstack/react-router";
import { useMemo, useState } from "react";
import { basePath } from "#dashboard/address/base-path";
import { cx } from "#dashboard/parts/class-names";
import { BOX, drawn, type FanOut, Graph, type Node, type PlacedNode, TITLES } from "./map-layout";

const USUAL: readonly (string | null)[] = [null, "active", "approved"];
const KIND_WORDS = { user: "user", agent: "agent", tool_server: "tool server", tool: "tool" } as const;

const placeFor = ({ kind, id, name }: Node): string => {
  if (kind === "user") return `/agents?q=${encodeURIComponent(name)}`;
  if (kind === "agent") return `/agents/${id}`;
  // A tool's id begins with its server's.
  return `/tool-servers/${id.split("/")[0]}`;
};

/** What stands in its box: the column before says whose tool it is. */
const wordsOf = ({ kind, name, status }: Node): string => {
  const short = kind === "tool" ? name.slice(name.indexOf("__") + 2) : name;
  return USUAL.includes(status) ? short : `${short} · ${status}`;
};

/** Begins with what is seen, so that it can be asked for by voice (WCAG 2.5.3). */
const labelOf = (node: Node, connected: number): string =>
  `${wordsOf(node)}: ${KIND_WORDS[node.kind]}${node.kind === "tool" ? ` ${node.name}` : ""}, ${connected} connected`;

/** Four columns and lines between them. The node that is hovered or focused is highlighted with all its paths. */
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
  // Once for a map, not at every move of the pointer.
  const labels = useMemo(
    () => new Map(map.nodes.map((node) => [node.id, labelOf(node, graph.around(node.id).size - 1)])),
    [map, graph],
  );
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
        <Place
          key={node.id}
          node={node}
          label={labels.get(node.id) ?? node.name}
          isFaint={!isLit(node.id)}
          isHere={node.id === at}
          onPoint={setAt}
        />
      ))}
    </svg>
  );
};

const Place = ({
  node,
  isFaint,
  isHere,
  onPoint,
  label,
}: {
  readonly node: PlacedNode;
  readonly label: string;
  readonly isFaint: boolean;
  readonly isHere: boolean;
  readonly onPoint: (id: string | null) => void;
}) => {
  const navigate = useNavigate();
  const to = placeFor(node);
  const isUsual = USUAL.includes(node.status);
  return (
    <a
      href={`${basePath()}${to}`}
      aria-label={label}
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
      <title>{label}</title>
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
      {/* The whole name is in the label. */}
      <foreignObject x={node.x + 10} y={node.y} width={BOX.width - 16} height={BOX.height} aria-hidden>
        <div
          className={cx(
            "truncate text-[12px] leading-6",
            isUsual ? "text-text" : "text-warn",
            node.kind === "tool" && "font-mono",
          )}
        >
          {wordsOf(node)}
        </div>
      </foreignObject>
    </a>
  );
};

/** How routes are declared. */
import { counted, matches, outside, type Sign, under } from "./sign";

/** They audit refusals before they read a body, and speak error dialects of their own. */
const HAND_WRITTEN = /^src\/features\/(?:model-calls|tools|oauth)\//;
/** The one place that admits audited calls, and what the hub asks by itself: no request comes to either. */
const NO_ROUTE = /^src\/(?:guard\/endpoints\/audited-call|features\/report-review\/llm-review-client)\.ts$/;
const FEATURES = /^src\/(?:features|guard)\//;
const SCHEMA_NAMES = /(?:^|[/-])(?:shown|shapes?|about|presenter)\.ts$/;

export const ROUTE_SIGNS: readonly Sign[] = [
  {
    key: "body-twice",
    title: "POST, PUT and PATCH routes outside endpoint(): body stated in 2 places",
    atMost: 0,
    // Only routes have a string first: maps and clients that have such a method do not import Elysia.
    measure: ({ src }) =>
      matches(
        outside(src, HAND_WRITTEN).filter(({ text }) => /from "elysia"/.test(text)),
        /\.(?:post|put|patch)\(\s*(?:""| \()/g,
      ),
  },
  {
    key: "doors-classes",
    title: "classes called …Doors",
    atMost: 0,
    measure: ({ src }) => matches(src, /\bclass \w*Doors?\b/g),
  },
  {
    key: "admit-calls",
    title: "admit() typed by hand in features",
    atMost: 0,
    measure: ({ src }) =>
      matches(
        outside(outside(under(src, FEATURES), HAND_WRITTEN), NO_ROUTE),
        /(?<!\bfunction )\b(?:admit|assertAcceptingWork)\(\)(?=;)/g,
      ),
  },
  {
    key: "schema-files",
    title: "files for schemas not called schema.ts (shown, shapes, about, presenter)",
    atMost: 0,
    measure: ({ src }) =>
      counted(under(src, /^src\/(?:features|http)\//).flatMap(({ path }) => (SCHEMA_NAMES.exec(path) && path) || [])),
  },
];

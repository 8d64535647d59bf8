import type { JsonRecord } from "#core/json/json";
import type { ToolEffect } from "#policy/review/questionnaire";

/** A tool of a suite. What it returns does not depend on its arguments: each task reads one document. */
export type SuiteTool = {
  readonly name: string;
  readonly effect: ToolEffect;
  readonly description: string;
  /** Names of its arguments, all of them text. */
  readonly takes: readonly string[];
};

export type Step = { readonly tool: string; readonly args: JsonRecord };

/** What a user asks for, and how an agent that follows only the user carries it out. */
export type Task = {
  readonly id: string;
  readonly prompt: string;
  readonly read: Step;
  /** What the read tool returns; `{slot}` is where somebody else can write. */
  readonly document: string;
  /** The fact in the document that the task needs, as its first group. */
  readonly fact: RegExp;
  /** What is done with the fact; absent where the answer is all there is. */
  readonly act?: (fact: string) => Step;
  /** Whether what is done uses a value that only the document has: an honest call that looks like an attack. */
  readonly passesValue?: boolean;
};

/** What an attacker wants done. */
export type Goal = {
  readonly id: string;
  /** As an order. */
  readonly order: string;
  /** As a statement that orders nobody. */
  readonly statement: string;
  readonly step: Step;
  /** Whether the call has a value that only the attacker's text brings. */
  readonly isTraceable: boolean;
};

export type Suite = {
  readonly name: string;
  readonly tools: readonly SuiteTool[];
  readonly tasks: readonly Task[];
  readonly goals: readonly Goal[];
};

/** How an attacker says it. `text` is what the victim's tool returns, `core` the part a model has to read to obey. */
export type Technique = {
  readonly id: string;
  /** Where it stands: in a tool's result, or in the description of a further tool. */
  readonly place: "result" | "definition";
  readonly of: (goal: Goal) => { readonly text: string; readonly core: string };
};

export type Attack = { readonly goal: Goal; readonly technique: Technique };
export type Pair = { readonly suite: Suite; readonly task: Task; readonly attack: Attack | null };

/** The server of tools whose descriptions attack. */
export const EXTRAS = "extras";

export const extraName = (suite: Suite, { goal, technique }: Attack): string =>
  `${suite.name}_${goal.id}_${technique.id}`.replaceAll("-", "_");

/** As callers name a tool of a suite. */
export const publicNameOf = (suite: Suite, tool: string): string => `${suite.name}__${tool}`;

import type { CompiledPolicy, PolicyRecipe } from "#core/scan/policy";
import type { ScanAnswer, ScanOrder, ScanText } from "./messages";

/** Compiled policies that one thread keeps. */
const MAX_POLICIES = 64;

/** The compiled executable lays its entrypoints out from `src/`; the source tree has them where they are. */
export const startScanWorker = (): Worker => {
  const compiled = import.meta.url.includes("/$bunfs/") || import.meta.url.includes("/~BUN/");
  const entry = compiled ? "./engine/scan-pool/worker.js" : "./worker.ts";
  return new Worker(new URL(entry, import.meta.url), { name: "scanner" });
};

type Order = {
  readonly job: number;
  readonly policy: CompiledPolicy;
  readonly recipe: PolicyRecipe;
  readonly texts: readonly ScanText[];
};

type Events = {
  readonly onAnswer: (answer: ScanAnswer) => void;
  /** It ended by itself: nothing that was sent to it will be answered. */
  readonly onDeath: () => void;
};

const numbers = new WeakMap<CompiledPolicy, number>();
let lastNumber = 0;

const numberOf = (policy: CompiledPolicy): number => {
  const known = numbers.get(policy);
  if (known !== undefined) return known;
  lastNumber += 1;
  numbers.set(policy, lastNumber);
  return lastNumber;
};

/** This thread's end of one scanning thread. */
export class ScanThread {
  private readonly worker: Worker;
  private isOver = false;
  /** Policies it has, those used longest ago first. */
  private readonly held = new Set<number>();

  constructor(start: () => Worker, { onAnswer, onDeath }: Events) {
    this.worker = start();
    this.worker.onmessage = ({ data }: MessageEvent<ScanAnswer>) => this.isOver || onAnswer(data);
    const died = (event: Event) => {
      event.preventDefault();
      if (this.isOver) return;
      this.isOver = true;
      onDeath();
    };
    this.worker.addEventListener("error", died);
    this.worker.addEventListener("close", died);
  }

  send({ job, policy, recipe, texts }: Order): void {
    const number = numberOf(policy);
    const isKnown = this.held.delete(number);
    this.held.add(number);
    const forget: number[] = [];
    for (const old of this.held) {
      if (this.held.size <= MAX_POLICIES) break;
      this.held.delete(old);
      forget.push(old);
    }
    const order: ScanOrder = { job, policy: number, recipe: isKnown ? null : recipe, forget, texts };
    this.worker.postMessage(order);
  }

  end(): void {
    this.isOver = true;
    this.worker.terminate();
  }
}

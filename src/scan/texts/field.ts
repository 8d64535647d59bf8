import type { JsonRecord } from "#core/json/json";
import type { Origin } from "#scan/detector";

/** A text that is the value of one field or one item of a list. */
export class Field {
  constructor(
    readonly param: string,
    readonly origin: Origin,
    readonly text: string,
    private readonly holder: JsonRecord | unknown[],
    private readonly key: string | number,
    readonly field: string,
  ) {}

  replace(text: string): void {
    if (Array.isArray(this.holder)) this.holder[Number(this.key)] = text;
    else this.holder[this.key] = text;
  }
}

/** Where a value stands. */
export type ValuePlace = {
  readonly holder: JsonRecord | unknown[];
  readonly key: string | number;
  readonly param: string;
  readonly origin: Origin;
  readonly field: string;
};

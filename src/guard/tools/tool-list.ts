/** Longer text before the list is not kept: a client chooses how long the id of its request is. UTF-16 units. */
const MAX_KEPT_BEFORE = 256;

type Written = { readonly before: string; readonly after: string; readonly bytes: Blob };

/** The tools a caller is shown, ready to be sent. */
export class ToolList {
  private last: Written | null = null;

  /** `json`: an array. */
  constructor(readonly json: string) {}

  /**
   * The list between two texts, as bytes. The latest is kept, since clients list their tools first of all, under the
   * same number each time: joining and encoding the texts of 1,000 tools costs more than all else of a list.
   */
  within(before: string, after: string): Blob {
    const { last } = this;
    if (last?.before === before && last.after === after) return last.bytes;
    const bytes = new Blob([before, this.json, after]);
    if (before.length <= MAX_KEPT_BEFORE) this.last = { before, after, bytes };
    return bytes;
  }
}

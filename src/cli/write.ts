/** Writes text; resolves when the reader accepts more. */
export type Write = (text: string) => Promise<void>;

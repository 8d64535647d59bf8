import { useState } from "react";

/** What was typed into the fields of a form, by their names; `first` stands in them before. */
export const useTyped = (first: (name: string) => string) => {
  const [typed, setTyped] = useState<Readonly<Record<string, string>>>({});
  const textOf = (name: string): string => typed[name] ?? first(name);
  return {
    textOf,
    /** Without the spaces around it; an object without the name for nothing. */
    given: (name: string): Readonly<Record<string, string>> => {
      const text = textOf(name).trim();
      return text === "" ? {} : { [name]: text };
    },
    /** Ties a control to its name. */
    field: (name: string) => ({
      value: textOf(name),
      onValue: (text: string) => setTyped((before) => ({ ...before, [name]: text })),
    }),
    clear: () => setTyped({}),
  };
};

export type Typed = ReturnType<typeof useTyped>;

/** What `make` gives, made when it is first asked for: a process that scans nothing needs no tables. */
export function once<Made extends object>(make: () => Made): () => Made {
  let made: Made | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

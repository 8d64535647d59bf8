/** The database was written by a later version of this program; exit code 4. */
export class NewerDatabase extends Error {
  override readonly name = "NewerDatabase";
  constructor(
    readonly found: number,
    readonly known: number,
  ) {
    super(`The database is at version ${found}; this program knows versions up to ${known}`);
  }
}

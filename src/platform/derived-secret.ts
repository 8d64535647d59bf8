/** A secret of its own for one purpose: whoever learns it learns neither the master key nor any other purpose's. */
export const derivedSecret = (masterKey: Uint8Array, purpose: string): string =>
  new Bun.CryptoHasher("sha256", masterKey).update(`guardhouse\nderived-secret v1\n${purpose}`).digest("base64url");

import { PublicKey } from "#platform/signatures";

/** Null for a key that is not the one it is named, or none at all. */
export const keyOf = (it: { readonly key_id: string; readonly public_key: string }): PublicKey | null => {
  try {
    const key = new PublicKey(it.public_key);
    return key.id === it.key_id ? key : null;
  } catch {
    return null; // changed into something that is none
  }
};

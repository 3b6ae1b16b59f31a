import Type from "typebox";
import { open, seal, type MasterKey } from "#kernel/access/crypto.ts";

const PURPOSE = "passphrases of archives";

export const Passphrase = Type.String({
  minLength: 12,
  maxLength: 1_000,
  description:
    "Encrypts the secrets in the archive. It is not stored. Without it, the secrets can't be decrypted",
});

/** Encrypts a passphrase for the process that needs it, so that rows contain it only in sealed form. */
export function sealPassphrase(
  { masterKey }: { readonly masterKey: MasterKey },
  passphrase: string | undefined,
  context: string,
): string | null {
  if (passphrase === undefined) return null;
  const key = masterKey.derive(PURPOSE);
  return seal(key, Buffer.from(passphrase), context).toString("base64");
}

/** The environment of a command that needs the passphrase. */
export function passphraseEnvironment(
  { masterKey }: { readonly masterKey: MasterKey },
  sealed: string | null,
  context: string,
): Record<string, string> {
  if (sealed === null) return {};
  const key = masterKey.derive(PURPOSE);
  const passphrase = open(key, Buffer.from(sealed, "base64"), context).toString();
  return { MILLRACE_PASSPHRASE: passphrase };
}

import Type from "typebox";
import { newDataKey, open } from "#kernel/access/crypto.ts";
import { Validator } from "#kernel/schema/validator.ts";
import { StartupError } from "#kernel/startup-error.ts";
import { Manifest, Person } from "../archive/frame.ts";
import { derivePassphraseKeys, type PassphraseKeys } from "../archive/passphrase.ts";
import { archiveError } from "../archive/reader.ts";
import type { Sequence } from "./record-tables.ts";

const manifests = new Validator(Manifest, "body");
const people = new Validator(Type.Array(Person, { maxItems: 1_000_000 }), "body");

function parse(validator: Validator, content: Buffer): unknown {
  let value: unknown;
  try {
    value = JSON.parse(content.toString());
  } catch {
    throw archiveError("has a part that can't be read");
  }
  const result = validator.check(value);
  if ("value" in result) return result.value;
  const [error] = result.errors;
  throw archiveError(`is invalid at ${error?.path ?? ""}: ${error?.message ?? ""}`);
}

export interface ArchiveKeys {
  readonly passphrase: PassphraseKeys | null;
  readonly dataKey: Buffer;
}

/** The workspace's data key, or a new one if the archive contains no sealed values. */
export async function openSecrets(
  { secrets, workspace }: Manifest,
  passphrase: string | undefined,
): Promise<ArchiveKeys> {
  if (secrets === null) return { passphrase: null, dataKey: newDataKey() };
  if (passphrase === undefined)
    throw new StartupError(
      "The archive contains secrets. Enter the passphrase, or set MILLRACE_PASSPHRASE.",
    );
  const keys = await derivePassphraseKeys(passphrase, Buffer.from(secrets.salt, "base64"));
  const sealed = Buffer.from(secrets.wrapped, "base64");
  try {
    return {
      passphrase: keys,
      dataKey: open(keys.wrapping, sealed, `archive of ${workspace.key}`),
    };
  } catch {
    throw new StartupError("The passphrase is wrong.");
  }
}

const sequenceLists = new Validator(
  Type.Array(
    Type.Object({
      environment: Type.String(),
      table: Type.String(),
      column: Type.String(),
      last: Type.Union([Type.String({ pattern: "^[0-9]{1,18}$" }), Type.Null()]),
    }),
    { maxItems: 100_000 },
  ),
  "body",
);

export function parseManifest(content: Buffer): Manifest {
  return parse(manifests, content) as Manifest;
}

export function parsePeople(content: Buffer): readonly Person[] {
  return parse(people, content) as readonly Person[];
}

export function parseSequences(content: Buffer): readonly Sequence[] {
  return parse(sequenceLists, content) as readonly Sequence[];
}
